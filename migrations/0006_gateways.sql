-- Gateways that may attach, by the digest of their service key.
create table gateways (
  id                 text primary key,
  name               text not null,
  enabled            integer not null default 1,
  token_hash         text not null unique,
  token_prefix       text not null,
  local_id           text unique,    -- a gateway of this very process: its own id, kept over restarts
  config_version     integer not null default 0,
  config             text,           -- JSON; null until an admin saved one
  last_heartbeat_at  bigint,
  heartbeat          text,           -- JSON: the last one, as it came
  created_at         bigint not null,
  updated_at         bigint not null
);

-- Developers' keys for gateways in team mode.
create table gateway_keys (
  id            text primary key,
  user_id       text not null references users (id) on delete cascade,
  name          text not null,
  billing       text not null check (billing in ('own', 'organization')),
  enabled       integer not null default 1,
  token_hash    text not null unique,
  token_prefix  text not null,
  created_at    bigint not null,
  updated_at    bigint not null,
  last_used_at  bigint
);
create index gateway_keys_user_id_idx on gateway_keys (user_id);

create table gateway_tickets (
  token_hash  text primary key,
  gateway_id  text not null references gateways (id) on delete cascade,
  user_id     text not null references users (id) on delete cascade,
  expires_at  bigint not null
);

-- The highest number taken of each queue: what comes again is dropped by it.
create table gateway_watermarks (
  gateway_id  text not null,
  epoch       text not null,
  seq         bigint not null,
  updated_at  bigint not null,
  primary key (gateway_id, epoch)
);

-- Refusals come as counts.
create table gateway_refusals (
  gateway_id  text not null,
  minute      bigint not null,   -- epoch milliseconds of its start
  code        text not null,
  count       bigint not null,
  primary key (gateway_id, minute, code)
);

-- Records that a gateway could not keep.
create table gateway_gaps (
  id          text primary key,
  gateway_id  text not null,
  day         text not null,
  from_at     bigint not null,
  to_at       bigint not null,
  dropped     bigint not null
);
create index gateway_gaps_day_idx on gateway_gaps (day);

-- One line each, as the gateway sent it, and what is looked for.
create table gateway_records (
  id              text not null,
  type            text not null check (type in ('request', 'gap')),
  gateway_id      text not null,
  epoch           text not null,
  seq             bigint not null,
  day             text not null,
  at              bigint not null,
  session_id      text,
  developer_id    text not null,   -- '' where nobody is known
  model           text not null,
  input           bigint not null,
  cache_read      bigint not null,
  cache_write_5m  bigint not null,
  cache_write_1h  bigint not null,
  output          bigint not null,
  cost            double precision,   -- null: unpriced
  price_version   integer not null,
  archive_part    integer,
  line            text not null,
  primary key (gateway_id, epoch, seq)
);
create index gateway_records_session_idx on gateway_records (session_id, at);
create index gateway_records_day_idx on gateway_records (day, archive_part);
create index gateway_records_model_idx on gateway_records (model);

-- Totals of each day in every grouping; reports read nothing else. Latencies are counts in fixed buckets, so that
-- percentiles of any sum of days are known.
create table gateway_daily (
  day             text not null,
  gateway_id      text not null,
  developer_id    text not null,
  project         text not null,
  model           text not null,
  client          text not null,
  billing         text not null,
  status          integer not null,
  requests        bigint not null,
  turns           bigint not null,
  errors          bigint not null,
  stream_errors   bigint not null,
  retries         bigint not null,
  aborts          bigint not null,
  billable        bigint not null,   -- requests that used tokens
  unpriced        bigint not null,
  input           bigint not null,
  cache_read      bigint not null,
  cache_write_5m  bigint not null,
  cache_write_1h  bigint not null,
  output          bigint not null,
  reasoning       bigint not null,
  cost            double precision not null,
  ttft_00 bigint not null default 0,
  ttft_01 bigint not null default 0,
  ttft_02 bigint not null default 0,
  ttft_03 bigint not null default 0,
  ttft_04 bigint not null default 0,
  ttft_05 bigint not null default 0,
  ttft_06 bigint not null default 0,
  ttft_07 bigint not null default 0,
  ttft_08 bigint not null default 0,
  ttft_09 bigint not null default 0,
  ttft_10 bigint not null default 0,
  ttft_11 bigint not null default 0,
  ttft_12 bigint not null default 0,
  ttft_13 bigint not null default 0,
  ttft_14 bigint not null default 0,
  ttft_15 bigint not null default 0,
  ttft_16 bigint not null default 0,
  ttft_17 bigint not null default 0,
  ttft_18 bigint not null default 0,
  ttft_19 bigint not null default 0,
  ttft_20 bigint not null default 0,
  ttft_21 bigint not null default 0,
  ttft_22 bigint not null default 0,
  ttft_23 bigint not null default 0,
  total_00 bigint not null default 0,
  total_01 bigint not null default 0,
  total_02 bigint not null default 0,
  total_03 bigint not null default 0,
  total_04 bigint not null default 0,
  total_05 bigint not null default 0,
  total_06 bigint not null default 0,
  total_07 bigint not null default 0,
  total_08 bigint not null default 0,
  total_09 bigint not null default 0,
  total_10 bigint not null default 0,
  total_11 bigint not null default 0,
  total_12 bigint not null default 0,
  total_13 bigint not null default 0,
  total_14 bigint not null default 0,
  total_15 bigint not null default 0,
  total_16 bigint not null default 0,
  total_17 bigint not null default 0,
  total_18 bigint not null default 0,
  total_19 bigint not null default 0,
  total_20 bigint not null default 0,
  total_21 bigint not null default 0,
  total_22 bigint not null default 0,
  total_23 bigint not null default 0,
  primary key (day, gateway_id, developer_id, project, model, client, billing, status)
);

-- Which sessions each of those totals holds, so that they can be counted without counting one twice.
create table gateway_session_days (
  day             text not null,
  session_id      text not null,
  gateway_id      text not null,
  developer_id    text not null,
  project         text not null,
  model           text not null,
  client          text not null,
  billing         text not null,
  status          integer not null,
  billable        bigint not null,
  unpriced        bigint not null,
  input           bigint not null,
  cache_read      bigint not null,
  cache_write_5m  bigint not null,
  cache_write_1h  bigint not null,
  output          bigint not null,
  cost            double precision not null,
  primary key (day, session_id, gateway_id, developer_id, project, model, client, billing, status)
);
create index gateway_session_days_session_idx on gateway_session_days (session_id, developer_id);

create table gateway_sessions (
  id            text not null,
  developer_id  text not null,
  gateway_id    text not null,
  project       text not null,
  client        text not null,
  model         text not null,   -- of the latest request
  started_at    bigint not null,
  last_at       bigint not null,
  requests      bigint not null,
  turns         bigint not null,
  errors        bigint not null,
  retries       bigint not null,
  aborts        bigint not null,
  tools         bigint not null,
  agents        bigint not null,   -- requests of sub-agents
  input         bigint not null,
  cache_read    bigint not null,
  cache_write   bigint not null,
  output        bigint not null,
  unpriced      bigint not null,
  cost          double precision not null,
  primary key (id, developer_id)
);
create index gateway_sessions_last_idx on gateway_sessions (last_at, id);
create index gateway_sessions_developer_idx on gateway_sessions (developer_id, last_at, id);

create table gateway_tool_days (
  day           text not null,
  gateway_id    text not null,
  developer_id  text not null,
  project       text not null,
  client        text not null,
  tool          text not null,
  calls         bigint not null,
  errors        bigint not null,
  result_bytes  bigint not null,
  primary key (day, gateway_id, developer_id, project, client, tool)
);

-- Dollars for a million tokens; a version is never changed.
create table gateway_prices (
  version         integer not null,
  model           text not null,   -- an id, or its start and a star
  input           double precision not null,
  cache_read      double precision not null,
  cache_write_5m  double precision not null,
  cache_write_1h  double precision not null,
  output          double precision not null,
  created_at      bigint not null,
  primary key (version, model)
);

-- Days that are over their time, compressed; records that came late are further parts.
create table gateway_archives (
  day         text not null,
  part        integer not null,
  state       text not null check (state in ('making', 'complete')),
  claimed_at  bigint not null,
  codec       text not null,
  rows        bigint not null,
  requests    bigint not null,
  bytes       bigint not null,   -- as lines
  sha256      text not null,     -- of the lines
  blob        bytea not null,
  primary key (day, part)
);
