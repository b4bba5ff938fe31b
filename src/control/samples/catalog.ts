import { artDepartment } from './agents/art-department'
import { batchBriefing } from './agents/batch-briefing'
import { editorialLoop } from './agents/editorial-loop'
import { expenseApprover } from './agents/expense-approver'
import { hybridReasoner } from './agents/hybrid-reasoner'
import { piiFirewall } from './agents/pii-firewall'
import { secondOpinion } from './agents/second-opinion'
import { visualInspector } from './agents/visual-inspector'
import { voiceDesk } from './agents/voice-desk'
import type { Sample } from './sample'

/** In the order of the list (interface, 13). */
export const SAMPLES: readonly Sample[] = [
  hybridReasoner,
  expenseApprover,
  secondOpinion,
  piiFirewall,
  visualInspector,
  voiceDesk,
  artDepartment,
  editorialLoop,
  batchBriefing,
]
