import { Link } from '@tanstack/react-router'
import { Sparkles } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Button } from '../kit/button'
import { texts } from '../texts/samples'

/** From where there are no agents yet to those that only have to be installed. */
export const SamplesLink = ({ variant }: Pick<ComponentProps<typeof Button>, 'variant'>) => (
  <Button asChild variant={variant}>
    <Link to="/settings" search={{ tab: 'samples' }}>
      <Sparkles aria-hidden className="size-4" />
      {texts.link}
    </Link>
  </Button>
)
