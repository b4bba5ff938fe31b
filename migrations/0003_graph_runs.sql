alter table runs add column parent_run_id text;
alter table runs add column note_code text;

-- The documents that runs were made of, so that a run can be done again when its agent is gone.
create table run_graphs (
  content_hash  text primary key,
  ir            text not null,   -- JSON
  created_at    bigint not null
);

-- Fixed windows of rate limits: how often a key was counted in one.
create table rate_windows (
  key         text not null,
  window_id   bigint not null,
  hits        bigint not null,
  expires_at  bigint not null,
  primary key (key, window_id)
);
create index rate_windows_expires_at_idx on rate_windows (expires_at);

-- What a quota sums: of the spans of an agent's runs, those that used tokens.
alter table spans add column agent_id text;
alter table spans add column total_tokens bigint;
create index spans_tokens_idx on spans (agent_id, created_at, total_tokens) where total_tokens is not null;
