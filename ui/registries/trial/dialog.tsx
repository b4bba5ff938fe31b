import { Link } from '@tanstack/react-router'
import { MessageSquare } from 'lucide-react'
import type { Modality } from '../../../src/inference/models/schema'
import { Button } from '../../kit/button'
import { Dialog } from '../../kit/dialog'
import { texts } from '../../texts/trial'
import { isTalkative, type ModelView } from '../data'
import { ChatPanel } from './chat-panel'
import { EmbeddingsPanel } from './embeddings-panel'
import { ImagePanel } from './image-panel'
import { SpeechPanel } from './speech-panel'
import { TranscriptionPanel } from './transcription-panel'

interface TryItProps {
  model: ModelView
  onClose: () => void
}

/** One request straight to the model: does it answer, and how fast? */
export const TryIt = ({ model: { logicalId, binding }, onClose }: TryItProps) => (
  <Dialog
    open
    onOpenChange={(open) => !open && onClose()}
    size="sheet"
    title={texts.title(logicalId)}
    description={texts.description}
    footer={
      isTalkative(binding.modality) && (
        <Button asChild>
          <Link to="/chat" search={{ model: logicalId }}>
            <MessageSquare aria-hidden className="size-3.5" />
            {texts.chatWithIt}
          </Link>
        </Button>
      )
    }
  >
    <Panel model={logicalId} modality={binding.modality} />
  </Dialog>
)

function Panel({ model, modality }: { model: string; modality: Modality }) {
  switch (modality) {
    case 'chat':
    case 'vision':
      return <ChatPanel model={model} sees={modality === 'vision'} />
    case 'embeddings':
      return <EmbeddingsPanel model={model} />
    case 'audio.transcription':
      return <TranscriptionPanel model={model} />
    case 'audio.speech':
      return <SpeechPanel model={model} />
    case 'images.generation':
      return <ImagePanel model={model} />
  }
}
