import { t } from 'elysia'

/** `limit` 1-200, default 50, and the `before` cursor: the id of the last item seen (specification, part 8). */
export const Page = t.Object({
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50 })),
  before: t.Optional(t.String({ maxLength: 200, description: 'Id of the last item of the page before.' })),
})
export type Page = typeof Page.static

export const DEFAULT_LIMIT = 50
