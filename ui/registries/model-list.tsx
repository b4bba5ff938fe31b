import { Link } from '@tanstack/react-router'
import { Ellipsis, Flame, MessageSquare, Pencil, Play, Snowflake, Trash2 } from 'lucide-react'
import { Badge, StatusDot, type Tone } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { Menu, MenuItem, MenuSeparator } from '../kit/menu'
import { ErrorNotice } from '../kit/notices'
import { isManaged, isTalkative, type ModelView, useCapabilities, useLoading } from './data'
import { BINDING_LABELS, MODALITY_LABELS } from './labels'

interface ModelListProps {
  models: ModelView[]
  onTry: (model: ModelView) => void
  onEdit: (model: ModelView) => void
  onDelete: (model: ModelView) => void
}

export const ModelList = ({ models, ...acts }: ModelListProps) => (
  <ul aria-label="Registered models" className="divide-y divide-line">
    {models.map((model) => (
      <Item key={model.logicalId} model={model} {...acts} />
    ))}
  </ul>
)

function Item({ model, onTry, onEdit, onDelete }: Omit<ModelListProps, 'models'> & { model: ModelView }) {
  const { logicalId, binding } = model
  const loading = useLoading(logicalId)
  const talkative = isTalkative(binding.modality)
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex min-w-0 items-center gap-3">
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <State model={model} />
            <h3 className="min-w-0 truncate text-sm font-medium">{logicalId}</h3>
            <Badge>{BINDING_LABELS[binding.binding]}</Badge>
            <Badge>{MODALITY_LABELS[binding.modality]}</Badge>
            <Capabilities model={model} />
          </div>
          <p className="truncate font-mono text-xs text-faint">{whereabouts(model)}</p>
        </div>
        {talkative && (
          <Button size="sm" icon={<Play aria-hidden className="size-3" />} onClick={() => onTry(model)}>
            Try it
          </Button>
        )}
        <Menu
          trigger={
            <IconButton
              label={`More for ${logicalId}`}
              size="sm"
              icon={<Ellipsis aria-hidden className="size-4" />}
            />
          }
        >
          {talkative && (
            <MenuItem asChild>
              <Link to="/chat" search={{ model: logicalId }}>
                <MessageSquare aria-hidden /> Chat
              </Link>
            </MenuItem>
          )}
          {isManaged(model) && (
            <>
              <MenuItem icon={<Flame aria-hidden />} onSelect={() => loading.mutate('warm')}>
                Load into memory
              </MenuItem>
              <MenuItem
                icon={<Snowflake aria-hidden />}
                disabled={!model.state.resident}
                onSelect={() => loading.mutate('evict')}
              >
                Free its memory
              </MenuItem>
            </>
          )}
          {!isManaged(model) && (
            <MenuItem icon={<Pencil aria-hidden />} onSelect={() => onEdit(model)}>
              Edit
            </MenuItem>
          )}
          <MenuSeparator />
          <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => onDelete(model)}>
            Delete
          </MenuItem>
        </Menu>
      </div>
      {loading.error && <ErrorNotice error={loading.error} />}
    </li>
  )
}

/** Only what an engine of this machine holds has a state; a remote model is the provider's to look after. */
function State({ model }: { model: ModelView }) {
  if (!isManaged(model)) return null
  const { resident, inflight, draining } = model.state
  const [tone, label]: [Tone, string] = draining
    ? ['warn', 'Being freed']
    : resident
      ? ['good', inflight > 0 ? `Loaded, ${inflight} at work` : 'Loaded']
      : ['neutral', 'Not loaded']
  return <StatusDot tone={tone} label={label} pulse={draining} />
}

function Capabilities({ model }: { model: ModelView }) {
  const can = useCapabilities(model)
  if (!can) return null
  const chips = [
    can.toolCalling && 'Tools',
    can.structuredOutput && 'Structured output',
    can.vision && model.binding.modality !== 'vision' && 'Vision',
    can.reasoning && 'Thinking',
    can.maxContext !== null && `${Math.round(can.maxContext / 1024)}k context`,
  ]
  return chips.filter(Boolean).map((chip) => (
    <Badge key={String(chip)} tone="accent">
      {chip}
    </Badge>
  ))
}

function whereabouts({ binding }: ModelView): string {
  if (binding.binding !== 'standard-compatible') return binding.model
  return `${binding.model} at ${binding.baseUrl.replace(/^https?:\/\//, '')}`
}
