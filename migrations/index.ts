import foundation from './0001_foundation.sql' with { type: 'text' }
import agents from './0002_agents.sql' with { type: 'text' }
import graphRuns from './0003_graph_runs.sql' with { type: 'text' }
import durable from './0004_durable.sql' with { type: 'text' }
import triggers from './0005_triggers.sql' with { type: 'text' }
import gateways from './0006_gateways.sql' with { type: 'text' }
import runIndexes from './0007_run_indexes.sql' with { type: 'text' }
import runsSearch from './0008_runs_search.sql' with { type: 'text' }
import checkpointFiles from './0009_checkpoint_files.sql' with { type: 'text' }

/** In order. A listed file is part of the executable; a test fails when a file of this folder is not listed. */
export const migrations: Record<string, string> = {
  '0001_foundation': foundation,
  '0002_agents': agents,
  '0003_graph_runs': graphRuns,
  '0004_durable': durable,
  '0005_triggers': triggers,
  '0006_gateways': gateways,
  '0007_run_indexes': runIndexes,
  '0008_runs_search': runsSearch,
  '0009_checkpoint_files': checkpointFiles,
}
