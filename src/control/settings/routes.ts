import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { ChangedSettings, SettingChanges, Settings } from './schema'
import type { SettingsService } from './service'

export const settingsRoutes = ({
  settings,
  authenticate,
}: {
  settings: SettingsService
  authenticate: Authenticate
}) =>
  new Elysia({ prefix: '/settings' })
    .use(routeOptions(authenticate))
    .get('', () => settings.read(), { role: 'admin', response: Settings })
    .patch('', ({ body }) => settings.change(body), {
      role: 'admin',
      errors: ['invalid_setting'],
      body: SettingChanges,
      response: ChangedSettings,
    })
