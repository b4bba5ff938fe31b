import type { AgentDocument } from '#graph/ir'
import { type Problem, parse } from '#graph/validate'
import { AppError } from '#kernel/errors'

/**
 * What somebody sent as `ir`, with its defaults filled in.
 * @throws {AppError} `invalid_ir`: the first problem is the message, all of them stand beside it
 */
export function readDocument(ir: unknown): AgentDocument {
  const { document, problems } = parse(ir)
  if (!document) throw invalid(problems)
  // The version is kept as a text of its own, and Postgres holds no text with such characters.
  if (!isStorable(document.version)) throw invalid([UNSTORABLE_VERSION])
  return document
}

const invalid = (problems: Problem[]) =>
  new AppError('invalid_ir', problems[0]!.message, { beside: { problems } })

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

const UNSTORABLE_VERSION: Problem = {
  code: 'invalid_shape',
  message: 'The document: "version" holds a character that is no text.',
  hint: 'Use letters, digits and punctuation, such as "1.0.0".',
  path: '/version',
}
