create table triggers (
  id            text primary key,
  agent_id      text not null references agents (id) on delete cascade,
  version       text,
  content_hash  text,
  kind          text not null check (kind in ('schedule', 'webhook')),
  config        text not null,      -- JSON, without the secret
  secret        bytea,              -- of a webhook, sealed; an imported one has none until somebody sets it
  enabled       integer not null,
  last_fired_at bigint,
  next_fire_at  bigint,             -- of an enabled schedule: the first instant that is not fired yet
  missed_fires  bigint not null default 0,
  last_error    text,               -- why the last fire made no run
  created_at    bigint not null,
  updated_at    bigint not null,
  check ((version is null) <> (content_hash is null))
);
create index triggers_created_at_idx on triggers (created_at, id);
create index triggers_agent_id_idx on triggers (agent_id, created_at, id);
create index triggers_next_fire_at_idx on triggers (next_fire_at) where next_fire_at is not null;

-- Whoever writes the row fires the instant: one of all the processes that see it come.
create table trigger_fires (
  trigger_id  text not null references triggers (id) on delete cascade,
  slot_utc    bigint not null,
  primary key (trigger_id, slot_utc)
);
