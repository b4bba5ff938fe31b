import { texts as chat } from '../texts/chat'
import type { Answer, AnswerPhase } from './answer'

const texts = chat.spoken

/** Read to the end of this; whoever wants more goes to the answer itself. */
const SPOKEN_CHARACTERS = 1000

/** What screen readers say of an answer: that it is under way, and then all of it at once, never token by token. */
export const Spoken = ({ answer }: { answer: Answer | undefined }) => (
  <p role="status" className="sr-only">
    {answer ? words(answer) : ''}
  </p>
)

function words({ phase, text, failure }: Answer): string {
  const said: Record<AnswerPhase, string> = {
    connecting: texts.connecting,
    thinking: texts.thinking,
    answering: texts.answering,
    completed: text === '' ? texts.empty : texts.completed(text.slice(0, SPOKEN_CHARACTERS)),
    // The notice on show is an alert of its own.
    failed: failure ? '' : texts.failed,
    stopped: texts.stopped,
  }
  return said[phase]
}
