import type { Modality } from '../models/schema'

/** What serves a modality on this machine, and how a person gets it. */
export interface Launcher {
  engine: 'llamacpp' | 'mlx'
  modality: Modality
  program: string
  install: string
}

const LLAMA = 'Install llama.cpp (`brew install llama.cpp`, or a release from its site).'
const MLX_ONLY = 'Only on a Mac with Apple silicon:'

/** Exactly these pairs can be served (interface, 10.9); there is no fallback from one to another. */
export const LAUNCHERS: readonly Launcher[] = [
  { engine: 'llamacpp', modality: 'chat', program: 'llama-server', install: LLAMA },
  { engine: 'llamacpp', modality: 'embeddings', program: 'llama-server', install: LLAMA },
  { engine: 'llamacpp', modality: 'vision', program: 'llama-server', install: LLAMA },
  {
    engine: 'llamacpp',
    modality: 'audio.transcription',
    program: 'whisper-server',
    install: 'Install whisper.cpp (`brew install whisper-cpp`, or a release from its site).',
  },
  {
    engine: 'llamacpp',
    modality: 'images.generation',
    program: 'sd-cli',
    install: 'Install stable-diffusion.cpp (a release from its site).',
  },
  {
    engine: 'mlx',
    modality: 'chat',
    program: 'mlx_lm.server',
    install: `${MLX_ONLY} \`pip install mlx-lm\`.`,
  },
  {
    engine: 'mlx',
    modality: 'vision',
    program: 'mlx_vlm.server',
    install: `${MLX_ONLY} \`pip install mlx-vlm\`.`,
  },
  {
    engine: 'mlx',
    modality: 'audio.speech',
    program: 'mlx_audio.server',
    install: `${MLX_ONLY} \`pip install mlx-audio\`.`,
  },
  {
    engine: 'mlx',
    modality: 'images.generation',
    program: 'mflux-generate',
    install: `${MLX_ONLY} \`pip install mflux\`.`,
  },
]

/** As `/readyz` names it. */
export const launcherName = ({ engine, modality }: Launcher): string =>
  modality === 'chat' ? engine : `${engine}:${modality}`
