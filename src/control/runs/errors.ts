/** Failures of the model's side, as the inference plane names them. */
const MODEL_ERRORS = [
  'model_not_found',
  'modality_not_supported',
  'credential_error',
  'inference_error',
  'upstream_error',
  'upstream_timeout',
  'engine_unavailable',
  'no_capacity',
  'inference_unreachable',
] as const

/** What every run may end with. */
export const RUN_ERRORS = [
  'session_not_found',
  'run_cancelled',
  'run_interrupted',
  'output_too_large',
  ...MODEL_ERRORS,
] as const

/** What a graph may besides. */
export const GRAPH_ERRORS = [
  ...RUN_ERRORS,
  'node_type_unavailable',
  'durable_required',
  'tool_not_found',
  'tool_binding_mismatch',
  'tool_not_self_describing',
  'mcp_server_not_found',
  'mcp_tool_not_found',
  'rag_source_not_found',
  'template_error',
  'router_error',
  'transform_error',
] as const
