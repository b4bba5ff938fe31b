-- What is still to be done of a run that outlives its process; the row goes when the run ends.
create table durable_runs (
  run_id          text primary key references runs (id) on delete cascade,
  state           text not null check (state in ('queued', 'running', 'waiting')),
  epoch           bigint not null default 0,   -- counts its owners; only the latest may write
  executor        text,                        -- the process that is its owner
  lease           text,                        -- what the engine gave it the run by
  wake_at         bigint,                      -- when it has something to do; null waits for a person
  enqueued_at     bigint,                      -- since when it waits for an owner
  interp_version  integer not null,            -- the semantics that it began with
  start           text,                        -- JSON: input, history, settings
  start_ref       text                         -- the artifact that holds it instead
);
create index durable_runs_due_idx on durable_runs (wake_at) where state in ('queued', 'waiting');
create index durable_runs_running_idx on durable_runs (executor) where state = 'running';

-- What a run has done so far, by its place in the execution.
create table run_steps (
  run_id      text not null references durable_runs (run_id) on delete cascade,
  key         text not null,
  output      text,    -- JSON
  output_ref  text,    -- the artifact that holds it instead
  created_at  bigint not null,
  primary key (run_id, key)
);

-- Where a run asked a person, and the first thing that came of it: an answer, or the end of the time.
create table run_gates (
  run_id        text not null references durable_runs (run_id) on delete cascade,
  key           text not null,
  place         text not null,
  prompt        text,
  input_schema  text,     -- JSON
  input         text,     -- JSON
  deadline      bigint,
  opened_at     bigint not null,
  outcome       text,     -- JSON
  outcome_ref   text,
  primary key (run_id, key)
);

create index runs_waiting_idx on runs (created_at, id) where status = 'waiting';
