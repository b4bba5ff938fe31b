create table agents (
  id          text primary key,
  name        text,      -- given at publication; without one the newest version's document names the agent
  created_at  bigint not null,
  updated_at  bigint not null
);
create index agents_created_at_idx on agents (created_at, id);

create table agent_versions (
  agent_id      text not null references agents (id) on delete cascade,
  version       text not null,
  seq           integer not null,   -- order of publication, from 1; the highest is the latest
  content_hash  text not null,
  name          text not null,      -- of the document
  ir            text not null,      -- JSON, with all defaults filled in and the hash stamped
  view          text,               -- JSON
  created_at    bigint not null,
  primary key (agent_id, version),
  unique (agent_id, seq),
  unique (agent_id, content_hash)
);

create table io_policies (
  agent_id              text primary key references agents (id) on delete cascade,
  io_capture            text not null check (io_capture in ('off', 'metadata', 'full')),
  io_retention_seconds  bigint,
  redact_rules          text,       -- JSON
  updated_at            bigint not null
);

create table drafts (
  id          text primary key,
  agent_id    text,      -- a breadcrumb: outlives the agent
  owner_id    text,
  name        text,
  node_count  integer not null,
  ir          text not null,        -- JSON
  view        text,                 -- JSON
  created_at  bigint not null,
  updated_at  bigint not null
);
create index drafts_updated_at_idx on drafts (updated_at, id);
create index drafts_agent_id_idx on drafts (agent_id, updated_at, id);
