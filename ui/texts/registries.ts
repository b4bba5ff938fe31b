import type { Modality } from '../../src/inference/models/schema'
import type { ManagedBinding } from '../registries/data'
import { counted } from './words'

interface SourceTexts {
  name: string
  label: string
  hint: string
  example: string
  problem: string
}

export const texts = {
  title: 'Models',
  description: 'What Tycho can ask, under the names that chats, agents and clients use.',
  tabs: {
    installed: 'Installed',
    catalog: 'Catalog',
    downloads: 'Downloads',
  },
  saved: (model: string) => `${model} is saved.`,

  labels: {
    provider: 'Provider',
    modalities: {
      chat: 'Chat',
      vision: 'Vision',
      embeddings: 'Embeddings',
      'audio.transcription': 'Speech to text',
      'audio.speech': 'Text to speech',
      'images.generation': 'Images',
    } satisfies Record<Modality, string>,
    modalityHints: {
      chat: 'Text in, text out',
      vision: 'Text and pictures in, text out',
      embeddings: 'Text in, vectors out',
      'audio.transcription': 'Sound in, text out',
      'audio.speech': 'Text in, sound out',
      'images.generation': 'Text in, pictures out',
    } satisfies Record<Modality, string>,
  },

  /** How an engine of this machine stands. */
  states: {
    cold: 'Not loaded',
    waiting: 'Waiting for a place',
    loading: 'Loading',
    ready: 'In memory',
    atWork: (answers: number) => `At work on ${counted(answers, 'answer')}`,
    draining: (answers: number) => `Freed after ${counted(answers, 'answer')}`,
    stopping: 'Being freed',
  },
  loadLine: {
    waiting: (model: string, duration: string) => `Waiting for a place in memory for ${model}, ${duration}`,
    loading: (model: string, duration: string) => `Loading ${model} into memory, ${duration}`,
  },

  slots: {
    title: 'In memory',
    label: 'Places in memory',
    failed: 'What is in memory could not be loaded',
    count: (taken: number, most: number) => `${taken} of ${most} places`,
    vacant: 'Free',
    shortOfMemory: 'Short of memory',
    free: (model: string) => `Free ${model}`,
  },

  list: {
    label: 'Registered models',
    loading: 'Loading the models',
    failed: 'The models could not be loaded',
    empty: 'No models yet',
    hint: 'Download one that runs on this machine from the catalog. Or add one by hand: weights that you have, or a provider such as Ollama, LM Studio or a service that gave you a key.',
    browse: 'Browse the catalog',
  },
  row: {
    keptInMemory: 'Kept in memory',
    modelAt: (model: string, host: string) => `${model} at ${host}`,
    load: 'Load',
    loadOf: (model: string) => `Load ${model}`,
    loadFailed: 'It was not loaded',
    stop: 'Stop loading',
    stopOf: (model: string) => `Stop loading ${model}`,
    free: 'Free',
    freeOf: (model: string) => `Free ${model}`,
    freeFailed: 'It was not freed',
    tryIt: 'Try it',
    tryItOf: (model: string) => `Try it: ${model}`,
    moreFor: (model: string) => `More for ${model}`,
    chat: 'Chat',
    edit: 'Edit',
  },
  capabilities: {
    ask: 'What can it do?',
    askHint: 'Loads the model, if it is not in memory',
    askFailed: 'It could not be asked',
    tools: 'Tools',
    structuredOutput: 'Structured output',
    vision: 'Vision',
    reasoning: 'Thinking',
    context: (size: string) => `${size} context`,
  },
  deletion: {
    title: (model: string) => `Delete ${model}?`,
    consequence:
      'Chats and agents that use it will not get answers any more. Past runs stay, and so do weights on disk.',
    confirm: 'Delete model',
    done: (model: string) => `${model} is deleted.`,
  },

  engines: {
    title: 'Local engines',
    loading: 'Looking at the engines',
    failed: 'The engines could not be looked at',
    none: 'None is installed, so no model runs on this machine yet. Models of providers work without.',
    serves: (engine: string) => `${engine} serves`,
    ready: 'ready',
    notReady: 'not ready',
    howToGet: 'Not installed: how to get it',
    howToGetRest: 'How to get the rest',
    notFound: 'Not found.',
    programNotFound: 'Its program was not found.',
  },

  credentials: {
    title: 'Credentials',
    loading: 'Loading the credentials',
    failed: 'The credentials could not be loaded',
    empty: 'Keys of providers are kept here. They stay on this machine, and nobody can read them back.',
    add: 'Add a credential',
    replace: (name: string) => `Replace ${name}`,
    name: 'Name',
    nameHint: 'Models name it in their registration.',
    nameExample: 'OPENAI_API_KEY',
    badName: 'Use capital letters, digits and underscores, as in OPENAI_API_KEY.',
    key: 'Key',
    noKey: 'Paste the key.',
    saved: (name: string) => `${name} is saved.`,
    saveFailed: 'It was not saved',
    deletion: {
      label: (name: string) => `Delete ${name}`,
      title: (name: string) => `Delete ${name}?`,
      unused: 'No registered model uses it.',
      usedBy: (models: string) =>
        `${models} will not answer any more, unless the environment has a variable of this name.`,
      confirm: 'Delete credential',
    },
  },

  form: {
    edit: (model: string) => `Edit ${model}`,
    add: 'Add model',
    failed: 'The model was not saved',
    where: {
      label: 'Where it runs',
      remote: 'A provider',
      local: 'This machine',
    },
    id: {
      label: 'Logical id',
      hint: 'What agents, chats and clients call it.',
      fixed: 'Agents and clients know it by this id, so it stays.',
      example: 'my-model',
      missing: 'Give it a name.',
      slashes: 'It may not begin or end with a slash.',
      taken: 'This name is taken. Edit that model instead, or choose another name.',
    },
    modality: 'Modality',
    advanced: 'Advanced',
    params: {
      label: 'Default parameters',
      hint: 'A JSON object, sent with every request that does not say otherwise.',
      example: '{"temperature": 0.2, "maxTokens": 2048}',
      problem: 'This is not a JSON object. An example: {"temperature": 0.2}',
    },
  },
  remote: {
    presets: 'Fill in the address of',
    baseUrl: {
      label: 'Base URL',
      hint: 'Usually ends in /v1.',
      noVersion: 'Most providers’ addresses end in /v1; this one does not.',
      example: 'https://api.example.com/v1',
      problem: 'Write an address that begins with http:// or https://.',
    },
    model: {
      label: 'Provider’s model name',
      example: 'gpt-4o-mini',
      missing: 'Write the model’s name as the provider spells it.',
    },
    credential: {
      label: 'Credential',
      hint: 'Keys are kept on this machine and never shown again.',
      none: 'None',
      fromEnvironment: 'From the environment',
      add: 'New credential…',
    },
  },
  local: {
    weightsFrom: 'Weights from',
    sources: {
      'local-path': {
        name: 'Path',
        label: 'Path of the weights',
        hint: 'A GGUF file for llama.cpp, a folder for MLX. It is read where it is, never copied.',
        example: '/models/qwen3-4b-q4_k_m.gguf',
        problem: 'Write the whole path, as in /models/qwen3-4b-q4_k_m.gguf.',
      },
      hf: {
        name: 'Hub repository',
        label: 'Repository',
        hint: 'The engine downloads it at its first use. The catalog shows progress and checks what came.',
        example: 'Qwen/Qwen3-4B-GGUF',
        problem: 'Write owner/name, as in Qwen/Qwen3-4B-GGUF.',
      },
      url: {
        name: 'URL',
        label: 'Address of the weights',
        hint: 'The engine downloads it at its first use.',
        example: 'https://example.com/model.gguf',
        problem: 'Write an address that begins with http:// or https://.',
      },
    } satisfies Record<ManagedBinding['source'], SourceTexts>,
    engine: {
      label: 'Engine',
      llamacpp: 'GGUF and ggml files, any machine',
      mlx: 'Apple machines',
      missing: 'It can be registered, but not run yet.',
    },
    keepWarm: {
      label: 'Keep in memory',
      hint: 'Never freed for being idle; freed last when room is needed.',
    },
    idle: {
      label: 'Free after idle seconds',
      problem: 'Write whole seconds.',
    },
    priority: {
      label: 'Priority',
      hint: 'The lowest goes first when room is needed.',
      problem: 'Write a whole number.',
    },
    fallback: {
      label: 'Fallback',
      hint: 'Asked instead when this one has no room or no engine.',
      none: 'None',
      notRegistered: 'Not registered',
      problem: 'Choose another model.',
    },
    params: {
      hint: 'A JSON object. ctxSize, parallel, batchSize, ubatchSize, mmproj and pooling start llama.cpp; everything else goes along with requests.',
      example: '{"ctxSize": 8192, "temperature": 0.2}',
    },
    saveHint:
      'Saving ends the engine that has it in memory as soon as its answers are finished. The next request loads it as it is then.',
  },

  transfer: {
    label: 'Import and export',
    export: 'Export the registry',
    exportFailed: 'The registry was not exported',
    import: 'Import a registry…',
  },
  importing: {
    title: 'Import a registry',
    description: 'Models that are registered here already stay as they are.',
    file: 'Registry file',
    choose: 'Choose a file',
    chooseAnother: 'Choose another file',
    noModels: (file: string) => `“${file}” is no registry: it has no list of models.`,
    noJson: (file: string) => `“${file}” is not JSON.`,
    models: (count: number) => `${count} in it`,
    keys: (count: number) =>
      count === 1
        ? 'It names a key, but no export carries its value.'
        : `It names ${count} keys, but no export carries their values.`,
    confirm: 'Import',
    failed: 'Nothing was imported',
    done: 'Done',
    report: {
      empty: 'There was nothing in it.',
      registered: 'Registered',
      downloads: 'Being downloaded',
      skipped: 'Already here, left as they are',
      missingKeys: 'Keys to set here',
    },
  },
} as const
