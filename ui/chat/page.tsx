import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../kit/dialog'
import { useMedia } from '../kit/use-media'
import { texts } from '../texts/chat'
import { Conversation } from './conversation'
import { History } from './history'

export function ChatPage() {
  const { session, model, agent } = useSearch({ from: '/chat' })
  const wide = useMedia('(min-width: 64rem)')
  const [historyOpen, setHistoryOpen] = useState(false)
  // A new conversation goes on in place when its first question gives it an id.
  const [begun, setBegun] = useState<string>()
  return (
    <div className="flex h-full min-h-0 min-w-0">
      {wide ? (
        <aside aria-label={texts.chats} className="flex w-64 shrink-0 flex-col border-r p-3">
          <History current={session} />
        </aside>
      ) : (
        <Dialog open={historyOpen} onOpenChange={setHistoryOpen} title={texts.chats} size="sheet">
          <History current={session} onPick={() => setHistoryOpen(false)} />
        </Dialog>
      )}
      <Conversation
        key={session === begun ? 'new' : (session ?? 'new')}
        session={session}
        asked={agent ? { kind: 'agent', id: agent } : model ? { kind: 'model', id: model } : null}
        onBegin={setBegun}
        onHistory={wide ? undefined : () => setHistoryOpen(true)}
      />
    </div>
  )
}
