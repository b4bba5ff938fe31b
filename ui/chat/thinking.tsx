import { ChevronRight } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { classes } from '../kit/classes'
import { useNow } from '../kit/use-now'
import { texts as chat } from '../texts/chat'
import { type Answer, thinkingMs } from './answer'
import { useStick } from './use-stick'

const texts = chat.thinking

/** Nobody wants to read “0.0 s”. */
const BRIEF_MS = 50

/** The model's thinking: open while it thinks, folded with its duration once the answer begins. */
export function Thinking({ answer }: { answer: Answer }) {
  const goingOn = answer.phase === 'thinking'
  const ms = thinkingMs(answer, useNow(goingOn, 100)) ?? 0
  const seconds = (ms / 1000).toFixed(1)
  const title = goingOn ? texts.goingOn(seconds) : ms < BRIEF_MS ? texts.brief : texts.done(seconds)
  return <ThoughtFold title={title} text={answer.reasoning} goingOn={goingOn} />
}

interface ThoughtFoldProps {
  title: string
  text: string
  goingOn?: boolean
}

export function ThoughtFold({ title, text, goingOn = false }: ThoughtFoldProps) {
  const [choice, setChoice] = useState<boolean | null>(null)
  const id = useId()
  const open = choice ?? goingOn
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setChoice(!open)}
        className="-ml-1 flex items-center gap-1 rounded-md px-1 py-0.5 text-sm text-muted hover:text-text"
      >
        <ChevronRight aria-hidden className={classes('size-3.5 transition-transform', open && 'rotate-90')} />
        <span className={goingOn ? 'animate-pulse' : undefined}>{title}</span>
      </button>
      <div id={id} hidden={!open}>
        {open && <ThinkingText text={text} />}
      </div>
    </div>
  )
}

function ThinkingText({ text }: { text: string }) {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  useStick(scroller, content)
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={texts.label}
      className="mt-1 ml-1.5 max-h-64 overflow-y-auto border-l-2 pl-3.5"
    >
      <div ref={content} className="text-sm leading-relaxed whitespace-pre-wrap text-muted">
        {text}
      </div>
    </section>
  )
}
