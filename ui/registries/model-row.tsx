import { Link } from '@tanstack/react-router'
import { Cloud, Ellipsis, Flame, MessageSquare, Pencil, Pin, Play, Snowflake, Trash2, X } from 'lucide-react'
import { Badge, StatusDot } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { Menu, MenuItem, MenuSeparator } from '../kit/menu'
import { ErrorNotice } from '../kit/notices'
import { texts as common } from '../texts/common'
import { texts as registries } from '../texts/registries'
import { Capabilities } from './capabilities'
import { isManaged, isTalkative, type LocalModel, type ModelView, useLoading, useMissingEngine } from './data'
import { WithCode } from './hint'
import { engineName, MODALITY_LABELS, wholeSeconds } from './labels'
import type { ModelActs } from './model-list'
import { liveOf } from './state'

const texts = registries.row

type Loading = ReturnType<typeof useLoading>

export function ModelRow({ model, ...acts }: ModelActs & { model: ModelView }) {
  const { logicalId, binding } = model
  const loading = useLoading(logicalId)
  const local = isManaged(model)
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
        <div className="flex min-w-0 flex-1 basis-56 flex-col gap-1">
          <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <h3 className="min-w-0 truncate text-sm font-medium">{logicalId}</h3>
            <Badge icon={local ? undefined : <Cloud aria-hidden />}>
              {engineName(binding.binding, binding.modality)}
            </Badge>
            <Badge>{MODALITY_LABELS[binding.modality]}</Badge>
            {local && model.binding.lifecycle.keepWarm && (
              <Badge icon={<Pin aria-hidden />}>{texts.keptInMemory}</Badge>
            )}
            <Capabilities model={model} />
          </div>
          <p className="flex min-w-0 items-center gap-2 text-xs">
            {local && <State model={model} asked={isAsked(loading)} />}
            <span className="min-w-0 truncate font-mono text-faint" title={binding.model}>
              {whereabouts(model)}
            </span>
          </p>
        </div>
        <div className="flex shrink-0 items-center gap-2">
          {local && <LoadButton model={model} loading={loading} />}
          <Button
            size="sm"
            aria-label={texts.tryItOf(logicalId)}
            icon={<Play aria-hidden className="size-3" />}
            onClick={() => acts.onTry(model)}
          >
            {texts.tryIt}
          </Button>
          <More model={model} {...acts} />
        </div>
      </div>
      {local && <Missing model={model} />}
      {model.state.warning && <p className="text-xs text-warn">{model.state.warning}</p>}
      {loading.error && (
        <ErrorNotice
          title={loading.variables === 'warm' ? texts.loadFailed : texts.freeFailed}
          error={loading.error}
        />
      )}
    </li>
  )
}

/** Its load was asked for here, and has not come yet. */
const isAsked = ({ isPending, variables }: Loading) => isPending && variables === 'warm'

function State({ model: { state }, asked }: { model: LocalModel; asked: boolean }) {
  const { tone, label, passing } = liveOf(asked && !state.resident ? { phase: 'loading', ...state } : state)
  return (
    <span className="inline-flex shrink-0 items-center gap-1.5 text-muted">
      <StatusDot tone={tone} pulse={passing} />
      <span>{label}</span>
      {state.loadingMs !== undefined && <span className="text-faint">{wholeSeconds(state.loadingMs)}</span>}
    </span>
  )
}

/** Loads, frees, or gives up what loads. */
function LoadButton({ model: { logicalId, state }, loading }: { model: LocalModel; loading: Loading }) {
  const comes = state.phase === 'loading' || state.phase === 'waiting'
  if (comes || (isAsked(loading) && !state.resident)) {
    return (
      <Button
        key="stop"
        size="sm"
        aria-label={texts.stopOf(logicalId)}
        icon={<X aria-hidden className="size-3" />}
        onClick={() => loading.mutate('evict')}
      >
        {texts.stop}
      </Button>
    )
  }
  const leaves = state.phase === 'stopping' || state.draining
  return state.resident || leaves ? (
    <Button
      key="free"
      size="sm"
      aria-label={texts.freeOf(logicalId)}
      pending={leaves || loading.isPending}
      icon={<Snowflake aria-hidden className="size-3" />}
      onClick={() => loading.mutate('evict')}
    >
      {texts.free}
    </Button>
  ) : (
    <Button
      key="load"
      size="sm"
      aria-label={texts.loadOf(logicalId)}
      pending={loading.isPending}
      icon={<Flame aria-hidden className="size-3" />}
      onClick={() => loading.mutate('warm')}
    >
      {texts.load}
    </Button>
  )
}

const More = ({ model, onEdit, onDelete }: ModelActs & { model: ModelView }) => (
  <Menu
    trigger={
      <IconButton
        label={texts.moreFor(model.logicalId)}
        size="sm"
        icon={<Ellipsis aria-hidden className="size-4" />}
      />
    }
  >
    {isTalkative(model.binding.modality) && (
      <MenuItem asChild>
        <Link to="/chat" search={{ model: model.logicalId }}>
          <MessageSquare aria-hidden /> {texts.chat}
        </Link>
      </MenuItem>
    )}
    <MenuItem icon={<Pencil aria-hidden />} onSelect={() => onEdit(model)}>
      {texts.edit}
    </MenuItem>
    <MenuSeparator />
    <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => onDelete(model)}>
      {common.delete}
    </MenuItem>
  </Menu>
)

/** Registered, but nothing here can run it. */
function Missing({ model }: { model: LocalModel }) {
  const reason = useMissingEngine(model.binding)
  if (!reason) return null
  return (
    <p className="text-xs text-warn">
      <WithCode text={reason} />
    </p>
  )
}

function whereabouts({ binding }: ModelView): string {
  if (binding.binding !== 'standard-compatible') return binding.model
  return texts.modelAt(binding.model, binding.baseUrl.replace(/^https?:\/\//, ''))
}
