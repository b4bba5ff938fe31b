-- Runs are looked for by agent, by trigger, and by any status but the one that most have.
create index runs_graph_id_idx on runs (graph_id, created_at, id);
create index runs_trigger_id_idx on runs (trigger_id, created_at, id) where trigger_id is not null;
create index runs_not_completed_idx on runs (status, created_at, id) where status <> 'completed';
