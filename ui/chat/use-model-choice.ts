import { useState } from 'react'
import { useChatModels } from './data'

const LAST_MODEL = 'tycho.chat.model'

/** The model to ask: what was chosen here, else what the conversation used, else what was used last. */
export function useModelChoice(candidates: (string | null | undefined)[]) {
  const models = useChatModels()
  const [chosen, setChosen] = useState<string | null>(null)
  const ids = models.data?.map(({ logicalId }) => logicalId) ?? []
  const wanted = [chosen, ...candidates, localStorage.getItem(LAST_MODEL), ids[0]]
  // A model may be gone since.
  const model = wanted.find((id): id is string => typeof id === 'string' && ids.includes(id)) ?? null

  function choose(id: string) {
    localStorage.setItem(LAST_MODEL, id)
    setChosen(id)
  }

  return { models, model, choose }
}
