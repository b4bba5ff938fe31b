import { Elysia } from 'elysia'
import { openRouteOptions } from '#kernel/http/plane'
import { InferenceSettings, InferenceSettingsPatch } from './schema'
import type { SettingsService } from './service'

const open = 'a locally trusted plane'

export const settingsRoutes = (settings: SettingsService) =>
  new Elysia({ normalize: false })
    .use(openRouteOptions())
    .get('/admin/settings', () => settings.list(), { open, response: InferenceSettings })
    .patch('/admin/settings', ({ body }) => settings.change(body), {
      open,
      invalid: 'invalid_settings',
      errors: ['env_pinned'],
      body: InferenceSettingsPatch,
      response: InferenceSettings,
    })
