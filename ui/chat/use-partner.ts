import { useState } from 'react'
import { useAgentChoices } from '../agents/data'
import { isTalkative } from '../registries/data'
import { useChatModels } from './data'
import type { Partner } from './partner'

const LAST_MODEL = 'tycho.chat.model'

/** Who to ask: who was chosen here, else whom the conversation was with, else the model used last. */
export function usePartner(candidates: (Partner | null | undefined)[]) {
  const models = useChatModels()
  const agents = useAgentChoices()
  const [chosen, setChosen] = useState<Partner | null>(null)
  const ids = models.data?.map(({ logicalId }) => logicalId) ?? []
  const talkative = models.data?.find(({ binding }) => isTalkative(binding.modality))?.logicalId
  const fallbacks = [localStorage.getItem(LAST_MODEL), talkative ?? ids[0]].map((id) =>
    id ? model(id) : null,
  )
  // A model may be gone since. Of the agents only some are loaded, so that the server has to say it of those.
  const isThere = ({ kind, id }: Partner) => kind === 'agent' || ids.includes(id)
  const partner = [chosen, ...candidates, ...fallbacks].find((one) => one && isThere(one)) ?? null

  function choose(next: Partner) {
    if (next.kind === 'model') localStorage.setItem(LAST_MODEL, next.id)
    setChosen(next)
  }

  return { models, agents, partner, choose }
}

const model = (id: string): Partner => ({ kind: 'model', id })
