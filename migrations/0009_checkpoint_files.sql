-- The artifacts that hold checkpoints too large for a row: known before they are written, so that none outlives its run.
create table checkpoint_files (
  ref         text primary key,
  run_id      text not null,   -- it may not be stored yet, or be over
  created_at  bigint not null
);
create index checkpoint_files_run_idx on checkpoint_files (run_id);

insert into checkpoint_files (ref, run_id, created_at)
select start_ref, run_id, 0 from durable_runs where start_ref is not null
union all select output_ref, run_id, 0 from run_steps where output_ref is not null
union all select outcome_ref, run_id, 0 from run_gates where outcome_ref is not null;
