import { AppError } from '#kernel/errors'
import { type InferenceSettings, type InferenceSettingsPatch, MAX_RESIDENT } from './schema'
import type { SettingsStore } from './store'

const ENV_VAR = 'SERVICE_MAX_RESIDENT'

interface Deps {
  store: SettingsStore
  pinned: number | undefined
  /** Called with the ceiling that holds from now on. */
  apply: (maxResident: number) => void
}

export type SettingsService = ReturnType<typeof settingsService>

/** Settings of the inference plane: the environment pins, then what was stored, then the default. */
export function settingsService({ store, pinned, apply }: Deps) {
  /** A stored value out of range is as good as none (specification, part 9). */
  function stored(): number | null {
    const value = store.maxResident()
    return value !== undefined && inRange(value) ? value : null
  }

  const maxResident = (): number => pinned ?? stored() ?? MAX_RESIDENT.default

  const list = (): InferenceSettings => ({
    maxResident: {
      value: maxResident(),
      storedValue: stored(),
      default: MAX_RESIDENT.default,
      type: 'int',
      source: pinned !== undefined ? 'env' : stored() !== null ? 'stored' : 'default',
      envVar: ENV_VAR,
      envPinned: pinned !== undefined,
      apply: 'live',
      constraints: { min: MAX_RESIDENT.min, max: MAX_RESIDENT.max },
      description: 'How many models the engines of this machine hold in memory at once.',
    },
  })

  return {
    list,
    maxResident,

    async change({ maxResident: wanted }: InferenceSettingsPatch): Promise<InferenceSettings> {
      if (wanted === undefined) return list()
      if (pinned !== undefined) {
        throw new AppError('env_pinned', `maxResident is pinned by ${ENV_VAR}. Change it there.`)
      }
      if (wanted !== null && !inRange(wanted)) {
        throw new AppError(
          'invalid_settings',
          `maxResident: must be a whole number from ${MAX_RESIDENT.min} to ${MAX_RESIDENT.max}.`,
        )
      }
      await store.setMaxResident(wanted ?? undefined)
      apply(maxResident())
      return list()
    },
  }
}

const inRange = (value: number) =>
  Number.isInteger(value) && value >= MAX_RESIDENT.min && value <= MAX_RESIDENT.max
