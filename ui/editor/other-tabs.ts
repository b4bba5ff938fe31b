/** What tabs of one browser tell each other about the drafts they have open. */
interface Word {
  type: 'hello' | 'here' | 'bye' | 'saved'
  tab: string
  draft: string
}

type Channel = Pick<BroadcastChannel, 'postMessage' | 'close'> & {
  onmessage: ((event: MessageEvent<Word>) => void) | null
}

interface Listener {
  /** How many other tabs have this draft open. */
  onOthers: (count: number) => void
  /** Another tab changed it. */
  onSaved: () => void
}

/** Joins the tabs that have a draft open. Both are told of each other, the second one at once. */
export function joinTabs(channel: Channel, tab: string, draft: string, { onOthers, onSaved }: Listener) {
  const others = new Set<string>()
  const say = (type: Word['type']) => channel.postMessage({ type, tab, draft } satisfies Word)
  channel.onmessage = ({ data }) => {
    if (data.draft !== draft || data.tab === tab) return
    if (data.type === 'saved') return onSaved()
    if (data.type === 'bye') others.delete(data.tab)
    else others.add(data.tab)
    if (data.type === 'hello') say('here')
    onOthers(others.size)
  }
  say('hello')
  return {
    saved: () => say('saved'),
    leave() {
      say('bye')
      channel.close()
    },
  }
}
