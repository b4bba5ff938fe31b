import type { AgentDocument } from '../../../src/graph/ir'

const MAX_ID_CHARACTERS = 100

/** A name; the id follows it as long as the agent is not published, for then nothing else knows it by its id. */
export const setName = (document: AgentDocument, name: string, idFollows: boolean): AgentDocument => ({
  ...document,
  name,
  ...(idFollows && { id: idFor(name, document.id) }),
})

/** `agent.ticket-router` for “Ticket router”; where a name has no letters of an id, the id stays. */
export function idFor(name: string, otherwise: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_ID_CHARACTERS)
  return slug === '' ? otherwise : `agent.${slug}`
}

/** The version that follows: the last number in it plus one in its minor place, or `1.0.0` where there is none. */
export function nextVersion(published: readonly string[]): string {
  const latest = published[0]
  if (latest === undefined) return '1.0.0'
  const semver = /^(\d+)\.(\d+)(?:\.(\d+))?$/.exec(latest)
  const candidate = (step: number) =>
    semver ? `${semver[1]}.${Number(semver[2]) + step}.0` : `${latest.slice(0, 56)}-${step + 1}`
  let step = 1
  while (published.includes(candidate(step))) step++
  return candidate(step)
}
