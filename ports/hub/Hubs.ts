/** The hubs whose oracle contracts the executions are for (CONFIG-2): each as its EIP-712 domain names it. */
import * as Context from "effect/Context"
import type { ExecutionDomain } from "../../src/domain/hub/Execution.ts"

export class Hubs extends Context.Service<Hubs, {
  /** In the order of the configuration; at least one. */
  readonly domains: ReadonlyArray<ExecutionDomain>
}>()("causeway/ports/Hubs") {}
