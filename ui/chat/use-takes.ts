import { useAgent, useVersion } from '../agents/data'
import type { ModelView } from '../registries/data'
import { ANYTHING_SAID, type Takes } from './attachments'
import type { Partner } from './partner'

const NO_AGENT = { version: '', content_hash: '' }
const FILES = ['audio', 'video', 'file'] as const

/** What whoever is asked takes: a model by what it is for, an agent by the node that takes its input. */
export function useTakes(partner: Partner | null, models: readonly ModelView[]): Takes {
  const agentId = partner?.kind === 'agent' ? partner.id : ''
  const newest = useAgent(agentId, agentId !== '').data?.versions[0]
  const version = useVersion(agentId, newest ?? NO_AGENT, newest !== undefined)
  if (partner?.kind === 'agent') return ofInput(version.data?.ir.nodes)
  const modality = models.find(({ logicalId }) => logicalId === partner?.id)?.binding.modality
  if (modality === 'audio.transcription') return { file: 'audio', image: false }
  return modality === 'audio.speech' || modality === 'images.generation'
    ? { file: null, image: false }
    : ANYTHING_SAID
}

function ofInput(nodes: unknown): Takes {
  const all = Array.isArray(nodes) ? (nodes as { type?: string; config?: { modality?: string } }[]) : []
  const modality = all.find(({ type }) => type === 'input')?.config?.modality
  const file = FILES.find((one) => one === modality)
  if (file) return { file, image: false }
  return { ...ANYTHING_SAID, bare: modality === 'image' }
}
