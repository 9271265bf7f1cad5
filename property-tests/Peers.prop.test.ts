import { describe, it } from "@effect/vitest"
import { inputs } from "../scripts/testing/Tally.ts"
import { collectSignatures } from "../src/domain/quorum/PeerSignatures.ts"
import { makePeerPolicy } from "../src/domain/quorum/PeerThreshold.ts"
import { peerLaws } from "./Peers.ts"

describe("agreement of peers", () => {
  for (const { check, name } of peerLaws({ collectSignatures, makePeerPolicy })) {
    it(name, () => check(inputs(2_500, 60_000)))
  }
})
