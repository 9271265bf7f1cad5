/** How many endpoints of each chain must agree, for what an operator is shown: at start and in GET /ready. */
import { Context } from "effect"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { EndpointQuorum } from "../../../src/domain/quorum/EndpointQuorum.ts"

export class EndpointQuorums extends Context.Service<EndpointQuorums, ReadonlyMap<ChainId, EndpointQuorum>>()(
  "causeway/hosts/transfer/EndpointQuorums"
) {}
