/**
 * A deposit of USDC on exchange B by @reservoir0x/lighter-ts-sdk: a transfer to the depository's account with the id as
 * its memo, signed by the account's Ethereum key. Any API key works here, because the simulator does not verify it.
 */
import { SignerClient } from "@reservoir0x/lighter-ts-sdk"
import { Effect } from "effect"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"

type Exchange = NonNullable<Localnet["exchangeB"]>

const USDC = 3
const API_KEY = `0x${"12".repeat(40)}`

export const deposit = (
  { depository, id: chain, rpcUrl }: Exchange,
  { index, privateKey }: Exchange["accounts"][number],
  amount: bigint,
  id: string
) =>
  Effect.tryPromise({
    try: async () => {
      const client = new SignerClient({ url: rpcUrl, privateKey: API_KEY, accountIndex: index, apiKeyIndex: 2 })
      await client.initialize()
      await client.ensureWasmClient()
      const [, transactionId, refused] = await client.transfer({
        toAccountIndex: depository.index,
        assetIndex: USDC,
        fromRouteType: 0,
        toRouteType: 0,
        amount: Number(amount),
        usdcFee: 0,
        memo: id,
        ethSigner: privateKey
      })
      if (refused !== null) throw new Error(refused)
      return { transactionId, depositor: `${index}` }
    },
    catch: (cause) => new LocalnetError({ message: `the deposit on ${chain} failed: ${reasonOf(cause)}` })
  })
