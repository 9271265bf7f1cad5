/** What `npm run demo -- --matrix` does: every family of the running network to every other, in native currency. Pure. */
import { Result } from "effect"
import { parseUnits } from "viem/utils"
import type { LocalnetError } from "../../../run/LocalnetError.ts"
import type { Localnet } from "../../../run/state/LocalnetFile.ts"
import { nothingAsked, usage } from "../Arguments.ts"
import type { Asked } from "../Arguments.ts"
import { hubOf, refusing } from "../ArgumentValues.ts"
import { demoChains } from "../DemoChain.ts"
import type { DemoChain } from "../DemoChain.ts"
import type { HubAccess } from "../Settlement.ts"

export interface MatrixOrigin {
  readonly chain: DemoChain
  readonly user: { readonly address: string; readonly privateKey: string }
  /** Smallest units that each transfer begins with. */
  readonly amount: bigint
  readonly destinations: ReadonlyArray<DemoChain>
}

export interface MatrixPlan {
  readonly transferUrl: string
  readonly hub: HubAccess
  /** The chains, one of each family. */
  readonly chains: ReadonlyArray<DemoChain>
  readonly origins: ReadonlyArray<MatrixOrigin>
}

const fail = refusing(usage)

/** Some tens of dollars at the prices of the local network. */
const amounts: Readonly<Record<DemoChain["vmType"], string>> = {
  "ethereum-vm": "0.01",
  "solana-vm": "0.2",
  "bitcoin-vm": "0.001",
  "exchangea-vm": "25",
  "exchangeb-vm": "25",
  "tron-vm": "100"
}

/** Refuses other words beside --matrix, and a network of one family. */
export const planMatrix = (asked: Asked, localnet: Localnet): Result.Result<MatrixPlan, LocalnetError> => {
  if (JSON.stringify({ ...asked, matrix: false }) !== JSON.stringify(nothingAsked)) {
    return fail("--matrix is all pairs: it takes no other option")
  }
  const chains = [...Map.groupBy(demoChains(localnet), ({ vmType }) => vmType).values()].flatMap(([first]) =>
    first ?? []
  )
  if (chains.length < 2) return fail("this network has one family: stop it and run npm start -- --all-families")
  const origins = chains.flatMap((chain): ReadonlyArray<MatrixOrigin> =>
    chain.user === undefined
      ? []
      : [{
        chain,
        user: chain.user,
        amount: parseUnits(amounts[chain.vmType], chain.native.decimals),
        destinations: chains.filter((other) => other !== chain)
      }]
  )
  return Result.succeed({ transferUrl: localnet.transferUrl, hub: hubOf(localnet), chains, origins })
}
