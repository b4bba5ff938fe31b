-- A document that was sent along has no policy, also where an agent is published under its id.
alter table runs add column graph_inline integer not null default 0;

-- Whose retention counts for a record: it is found by its agent and age, however many runs that agent has had.
alter table node_io add column agent_id text;
update node_io set agent_id = (select graph_id from runs where runs.id = node_io.run_id);
create index node_io_agent_id_idx on node_io (agent_id, created_at) where agent_id is not null;
