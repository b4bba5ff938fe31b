export type PlaneName = 'control' | 'inference' | 'gateway'

const DEFAULT_PORTS: Record<PlaneName, number> = { control: 8080, inference: 8081, gateway: 8082 }
let served: Promise<Partial<Record<PlaneName, string>>> | undefined

/** Where a plane is: this browser's own override, else what the interface's server says, else the usual port. */
export async function baseUrl(plane: PlaneName): Promise<string> {
  const override = localStorage.getItem(`tycho.url.${plane}`)
  if (override) return override.replace(/\/+$/, '')
  served ??= fetchAddresses()
  return samePageName((await served)[plane] ?? `http://127.0.0.1:${DEFAULT_PORTS[plane]}`)
}

async function fetchAddresses(): Promise<Partial<Record<PlaneName, string>>> {
  try {
    const answer = await fetch('/config.json')
    return answer.ok ? await answer.json() : {}
  } catch {
    // A server of another kind hosts these files, or none answers: the usual ports are the best guess left.
    served = undefined
    return {}
  }
}

/** A page opened as `localhost` calls the planes as `localhost` too: that is what its content policy allows. */
const samePageName = (url: string) =>
  location.hostname === 'localhost' ? url.replace('//127.0.0.1', '//localhost') : url
