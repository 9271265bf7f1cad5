/** The hubs whose oracle contracts executions are made for (CONFIG-2), each with its EIP-712 domain. */
import * as Context from "effect/Context"
import type { ExecutionDomain } from "../../src/domain/hub/Execution.ts"

/** The hubs for which executions are signed, each with the EIP-712 domain of its gate. */
export class Hubs extends Context.Service<Hubs, {
  /** In the order of the configuration; at least one. */
  readonly domains: ReadonlyArray<ExecutionDomain>
}>()("causeway/ports/Hubs") {}
