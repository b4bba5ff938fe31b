import { expect, test } from 'bun:test'
import { eachDatabase } from '../support/world'

eachDatabase((world, kind) => {
  test('a null character in an address or a text is the caller’s mistake, never a failure of ours', async () => {
    for (const path of ['/runs/%00', '/sessions/a%00b', '/runs?before=%00']) {
      const { response } = await world()
        .call('GET', path, { as: 'viewer' })
        .catch(({ message }) => {
          throw new Error(`${path}: ${message}`)
        })
      expect(response.status).toBeLessThan(500)
    }
    const { response } = await world().call('PATCH', '/auth/me', {
      as: 'viewer',
      body: { display_name: 'a\u0000b' },
    })
    expect(response.status).toBe(kind === 'postgres' ? 422 : 200)
  })
})
