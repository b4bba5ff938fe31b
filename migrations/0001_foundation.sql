-- Columns keep to what both databases spell alike: text, integer (0/1 for booleans), bigint (epoch milliseconds),
-- bytea, and JSON as text.

create table users (
  id             text primary key,
  username       text not null unique,
  display_name   text not null,
  email          text,
  role           text not null check (role in ('viewer', 'editor', 'admin')),
  disabled       integer not null default 0,
  password_hash  text,
  theme          text not null default 'system',
  avatar_url     text,
  created_at     bigint not null,
  updated_at     bigint not null,
  last_login_at  bigint
);

create table auth_sessions (
  id          text primary key,
  user_id     text not null references users (id) on delete cascade,
  token_hash  text not null unique,
  created_at  bigint not null,
  expires_at  bigint not null
);
create index auth_sessions_user_id_idx on auth_sessions (user_id);

create table api_keys (
  id            text primary key,
  user_id       text not null references users (id) on delete cascade,
  name          text not null,
  role          text not null check (role in ('viewer', 'editor', 'admin')),
  token_hash    text not null unique,
  token_prefix  text not null,
  created_at    bigint not null,
  last_used_at  bigint,
  revoked_at    bigint
);
create index api_keys_user_id_idx on api_keys (user_id);

create table settings (
  key         text primary key,
  value       text,      -- JSON
  sealed      bytea,     -- a secret setting, instead of value
  updated_at  bigint not null
);

create table sessions (
  id          text primary key,
  user_id     text,      -- a breadcrumb: outlives the account
  metadata    text,      -- JSON
  created_at  bigint not null,
  updated_at  bigint not null
);
create index sessions_updated_at_idx on sessions (updated_at, id);

create table messages (
  id          text primary key,
  session_id  text not null references sessions (id) on delete cascade,
  run_id      text,
  role        text not null check (role in ('user', 'assistant')),
  content     text not null,
  position    integer not null,
  created_at  bigint not null,
  unique (session_id, position)
);

create table runs (
  id             text primary key,
  session_id     text,
  status         text not null check (status in ('created', 'streaming', 'waiting', 'completed', 'failed')),
  model          text not null,
  params         text,    -- JSON
  graph_id       text,
  graph_version  text,
  content_hash   text,
  trigger_id     text,
  user_id        text,
  output         text,
  awaiting_node  text,
  error          text,
  runtime        text not null check (runtime in ('inproc', 'durable')),
  capture_level  text not null check (capture_level in ('off', 'metadata', 'full')),
  instance_id    text,    -- the control plane that runs it
  created_at     bigint not null,
  updated_at     bigint not null,
  completed_at   bigint
);
create index runs_created_at_idx on runs (created_at, id);
create index runs_user_id_idx on runs (user_id, created_at, id);
create index runs_session_id_idx on runs (session_id);
create index runs_unfinished_idx on runs (instance_id) where status in ('created', 'streaming');

create table spans (
  id              text primary key,
  run_id          text not null references runs (id) on delete cascade,
  trace_id        text not null,
  span_id         text not null,
  parent_span_id  text,
  node_id         text,
  node_type       text,
  kind            text,
  name            text not null,
  phase           text,
  branch_index    integer,
  status          text not null check (status in ('running', 'ok', 'err', 'skipped')),
  start_ns        bigint not null,
  end_ns          bigint,
  attributes      text not null,   -- JSON
  error           text,
  executor_id     text not null,
  worker_host     text not null,
  seq             integer not null,
  bytes_in        bigint,
  bytes_out       bigint,
  created_at      bigint not null
);
create index spans_run_id_idx on spans (run_id, seq);
create index spans_running_idx on spans (run_id) where status = 'running';

create table node_io (
  id             text primary key,
  run_id         text not null references runs (id) on delete cascade,
  node_id        text not null,
  span_id        text,
  inputs         text,    -- JSON
  outputs        text,    -- JSON
  bytes_in       bigint,
  bytes_out      bigint,
  truncated      integer not null default 0,
  capture_level  text not null,
  created_at     bigint not null,
  unique (run_id, node_id)
);

create table instances (
  id          text primary key,
  started_at  bigint not null,
  seen_at     bigint not null
);
