import { Gate } from '../auth/gate'
import { Shell } from './shell'

export const Root = () => (
  <Gate>
    <Shell />
  </Gate>
)
