import type { Answer, AnswerPhase } from './answer'

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
    connecting: 'Waiting for the model.',
    thinking: 'The model is thinking.',
    answering: 'The answer is coming in.',
    completed: text === '' ? 'The answer is empty.' : `Answer: ${text.slice(0, SPOKEN_CHARACTERS)}`,
    // The notice on show is an alert of its own.
    failed: failure ? '' : 'No answer came.',
    stopped: 'Stopped.',
  }
  return said[phase]
}
