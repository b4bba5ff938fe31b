/** Every error code a plane answers with, and its HTTP status (specification, part 7). */
export const STATUS_BY_CODE = {
  invalid_json: 400,
  invalid_username: 400,
  password_too_short: 400,
  invalid_api_key: 400,
  invalid_bundle: 400,
  unsupported_bundle_version: 400,
  prompt_required: 400,
  invalid_steps: 400,
  invalid_draft: 400,
  invalid_ir: 400,
  invalid_install: 400,
  sample_models_required: 400,
  sample_model_invalid: 400,
  rag_source_not_found: 400,
  mcp_tool_not_found: 400,
  mcp_server_not_found: 400,
  tool_not_self_describing: 400,
  tool_binding_mismatch: 400,
  tool_not_found: 400,
  durable_required: 400,
  node_type_unavailable: 400,
  agent_id_mismatch: 400,
  invalid_artifact_ref: 400,
  empty_artifact: 400,
  incomplete_upload: 400,
  unauthorized: 401,
  invalid_credentials: 401,
  invalid_ticket: 401,
  gateway_key_missing: 401,
  gateway_key_invalid: 401,
  upstream_credential_missing: 401,
  forbidden: 403,
  account_disabled: 403,
  repository_gated: 403,
  endpoint_not_allowed: 403,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  not_found: 404,
  user_not_found: 404,
  api_key_not_found: 404,
  run_not_found: 404,
  step_not_found: 404,
  agent_not_found: 404,
  agent_version_not_found: 404,
  draft_not_found: 404,
  sample_not_found: 404,
  session_not_found: 404,
  artifact_not_found: 404,
  model_not_found: 404,
  modality_not_supported: 404,
  credential_not_found: 404,
  repository_not_found: 404,
  download_not_found: 404,
  gateway_not_found: 404,
  gateway_key_not_found: 404,
  gateway_session_not_found: 404,
  archive_not_found: 404,
  method_not_allowed: 405,
  setup_already_complete: 409,
  username_taken: 409,
  last_admin: 409,
  agent_exists: 409,
  version_conflict: 409,
  logical_id_exists: 409,
  run_finished: 409,
  run_cancelled: 409,
  outputs_not_recorded: 409,
  org_key_pinned: 409,
  stream_gone: 410,
  payload_too_large: 413,
  range_not_satisfiable: 416,
  validation_error: 422,
  transform_error: 422,
  router_error: 422,
  template_error: 422,
  invalid_setting: 422,
  invalid_policy: 422,
  invalid_binding: 422,
  invalid_request: 422,
  invalid_credential: 422,
  env_pinned: 422,
  incomplete_weights: 422,
  invalid_settings: 422,
  invalid_gateway_config: 422,
  invalid_report: 422,
  upgrade_required: 426,
  too_many_attempts: 429,
  internal_error: 500,
  credential_error: 502,
  catalog_error: 502,
  upstream_error: 502,
  image_generation_failed: 502,
  inference_error: 502,
  upstream_unreachable: 502,
  output_too_large: 502,
  engine_unavailable: 503,
  no_capacity: 503,
  inference_unreachable: 503,
  control_plane_unreachable: 503,
  gateway_keys_unavailable: 503,
  org_key_not_configured: 503,
  run_interrupted: 503,
  shutting_down: 503,
  upstream_timeout: 504,
  storage_full: 507,
} as const
export type ErrorCode = keyof typeof STATUS_BY_CODE
export type Statuses = Partial<Record<ErrorCode, number>>

/** Where the inference plane answers a code with another status than the control plane does (interface, 10.5). */
export const INFERENCE_STATUSES: Statuses = { invalid_install: 422 }

interface Facts {
  /** Only where the specification lets one code have several statuses, or relays a provider's own. */
  status?: number
  /** Further fields of the answer, beside `error` (`runId` of a failed run). */
  beside?: Record<string, unknown>
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * A failure the caller is meant to see: a code, and a message that says what to do next. Whatever else is
 * thrown is a bug: 500 `internal_error`, logged under a reference that the answer repeats.
 */
export class AppError extends Error {
  readonly status: number
  readonly beside: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    readonly code: ErrorCode | (string & {}),
    message: string,
    { status, beside = {}, headers = {}, cause }: Facts = {},
  ) {
    super(message, { cause })
    this.name = 'AppError'
    this.status = status ?? (STATUS_BY_CODE as Record<string, number>)[code] ?? 500
    this.beside = beside
    this.headers = headers
  }
}

/** The process cannot start: one line for a person, and exit code 1. */
export class StartError extends Error {}
