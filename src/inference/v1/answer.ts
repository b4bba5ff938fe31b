import type { AppError } from '#kernel/errors'

/** Whatever serves a model has begun to answer. Nothing of the body is read yet. */
export interface Answer {
  response: Response
  /** Whoever has read the body, or will read no more of it, says so; once is enough, more does no harm. */
  end(): void
  /** Why the body broke off. */
  failure(error: unknown): AppError | Promise<AppError>
}

/** An answer that was made here: there is nothing left of it that could break off. */
export const finished = (response: Response): Answer => ({
  response,
  end() {},
  failure(error) {
    throw error
  },
})

/** The same answer in other words. */
export const reworded = (answer: Answer, response: Response): Answer => ({ ...answer, response })
