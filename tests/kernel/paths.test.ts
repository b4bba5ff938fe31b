import { expect, test } from 'bun:test'
import { publicPath, routerPath } from '#kernel/http/paths'

test.each([
  ['GET', '/admin/models', '/admin/models'],
  ['GET', '/admin/models/gpt', '/admin/models/gpt'],
  ['PUT', '/admin/models/org/model:8b', '/admin/models/org%2Fmodel%3A8b'],
  ['PUT', '/admin/models/org%2Fmodel%3A8b', '/admin/models/org%2Fmodel%3A8b'],
  ['PUT', '/admin/models/org/model%3A8b', '/admin/models/org%2Fmodel%3A8b'],
  ['POST', '/admin/models/org/model:8b:warm', '/admin/models/org%2Fmodel%3A8b/~warm'],
  ['POST', '/admin/models/org%2Fmodel%3A8b%3Aevict', '/admin/models/org%2Fmodel%3A8b/~evict'],
  ['POST', '/admin/models/org/model:8b/~warm', '/admin/models/org%2Fmodel%3A8b/~warm'],
  ['POST', '/admin/models/keep:warm:warm', '/admin/models/keep%3Awarm/~warm'],
  ['GET', '/admin/models/keep:warm', '/admin/models/keep%3Awarm'],
  ['GET', '/admin/models/org/m:8b/capabilities', '/admin/models/org%2Fm%3A8b/capabilities'],
  ['GET', '/admin/models/capabilities', '/admin/models/capabilities'],
  ['GET', '/admin/models/org%2Fcapabilities', '/admin/models/org%2Fcapabilities'],
  ['PUT', '/admin/models/org/capabilities', '/admin/models/org%2Fcapabilities'],
  ['PUT', '/admin/models/100%', '/admin/models/100%25'],
  ['PUT', '/admin/models/a%25b', '/admin/models/a%25b'],
  ['GET', '/admin/catalog/models/org/repo', '/admin/catalog/models/org%2Frepo'],
  ['POST', '/admin/catalog/downloads/dl-1:cancel', '/admin/catalog/downloads/dl-1/~cancel'],
  ['POST', '/connections/c1/mcp:warm', '/connections/c1/mcp/~warm'],
  ['POST', '/connections/c1/mcp-oauth:start', '/connections/c1/mcp-oauth/~start'],
  ['POST', '/hooks/a:b', '/hooks/a:b'],
  ['GET', '/runs/a%2Fb', '/runs/a%2Fb'],
])('%s %s reaches the router as %s', (method, path, expected) => {
  expect(routerPath(method, path)).toBe(expected)
})

test.each([
  ['/admin/models/:id/~warm', '/admin/models/{id}:warm'],
  ['/admin/models/:id/capabilities', '/admin/models/{id}/capabilities'],
  ['/connections/:id/mcp/~close', '/connections/{id}/mcp:close'],
  ['/mcp/generated/~preview', '/mcp/generated:preview'],
  ['/runs/:id/nodes/:node_id/io', '/runs/{id}/nodes/{node_id}/io'],
  ['/healthz', '/healthz'],
])('%s is shown as %s', (route, expected) => {
  expect(publicPath(route)).toBe(expected)
})
