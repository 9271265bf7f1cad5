import { describe, it } from "@effect/vitest"
import { inputs } from "../scripts/testing/Tally.ts"
import { agreeOnEvidence } from "../src/domain/quorum/AgreeOnEvidence.ts"
import { makeEndpointQuorum } from "../src/domain/quorum/EndpointQuorum.ts"
import { pinBlock } from "../src/domain/quorum/PinnedBlock.ts"
import { quorumLaws } from "./Quorum.ts"

describe("quorum of endpoints", () => {
  for (const { check, name } of quorumLaws({ agreeOnEvidence, makeEndpointQuorum, pinBlock })) {
    it(name, () => check(inputs(20_000, 400_000)))
  }
})
