import { assert, describe, it } from "@effect/vitest"
import { AccountRole, address, createSolanaRpc, fetchAddressesForLookupTables } from "@solana/kit"
import type { Address, Instruction } from "@solana/kit"
import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { namedAddress } from "../node/Chain.ts"
import { holding } from "../node/TokenAccount.ts"
import { tokenAccount } from "../DepositoryProgram.ts"
import { routeInstructions } from "../jupiter/RouteInstructions.ts"
import type { RouteTerms } from "../jupiter/RouteInstructions.ts"
import { bestRoute } from "../jupiter/Routes.ts"
import type { Mint } from "../Mints.ts"
import { usdc } from "../Mints.ts"
import { startFixture } from "../testing/Fixture.ts"
import { gem, lookupTable, ore, pools, tableAddresses, wrappedSol } from "./Pools.ts"

type Wire = Awaited<ReturnType<typeof routeInstructions>>["swapInstruction"]

const roleOf = ({ isSigner, isWritable }: Wire["accounts"][number]) =>
  isSigner
    ? isWritable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER
    : isWritable
    ? AccountRole.WRITABLE
    : AccountRole.READONLY

const instructionOf = ({ accounts, data, programId }: Wire): Instruction => ({
  programAddress: programId,
  accounts: accounts.map((each) => ({ address: each.pubkey, role: roleOf(each) })),
  data: new Uint8Array(Buffer.from(data, "base64"))
})

const setUp = Effect.gen(function*() {
  const on = yield* startFixture()
  const { chain } = on.solana
  const reserves = () =>
    new Map(
      pools.flatMap(({ sides }) =>
        sides.map(({ vault }) => [vault, holding(chain.read(vault, "confirmed"))?.amount ?? 0n] as const)
      )
    )
  const routeOf = (from: Mint, to: Mint, amount: bigint, exact: "in" | "out", mostHops = 4) =>
    bestRoute(pools, reserves(), {
      inputMint: from.address,
      outputMint: to.address,
      amount,
      exact,
      mostHops,
      allows: () => true
    }) ?? assert.fail("no route")
  const tokens = async (mint: Mint) =>
    holding(chain.read(await tokenAccount(on.user.address, mint.address, mint.program), "processed"))?.amount ?? 0n
  const send = async (
    terms: Partial<RouteTerms> & Pick<RouteTerms, "exact" | "hops">,
    change: (wire: Wire) => Wire = (wire) => wire
  ) => {
    const most = terms.hops[0]?.amountIn ?? 0n
    const made = await routeInstructions({
      user: on.user.address,
      slippageBps: 0,
      shared: true,
      wraps: true,
      destination: undefined,
      most,
      ...terms
    })
    const all = [
      ...made.setupInstructions,
      change(made.swapInstruction),
      ...(made.cleanupInstruction === null ? [] : [made.cleanupInstruction])
    ]
    const signature = await on.client.send(on.user, all.map(instructionOf), {
      tables: { [lookupTable]: tableAddresses },
      skipPreflight: true
    })
    chain.advance()
    return (await on.client.outcome(signature)).meta
  }
  return { ...on, chain, routeOf, tokens, send }
})

describe("the pools of the local chain", () => {
  it.live("pay what the quote's arithmetic says, to the unit, over any path and for either exact side", () =>
    Effect.scoped(Effect.gen(function*() {
      const { routeOf, send, tokens } = yield* setUp
      yield* Effect.promise(async () => {
        for (const [mint, whole] of [[gem, 10_000n], [ore, 10_000n]] as const) {
          assert.isNull(
            (await send({ exact: "out", hops: routeOf(usdc, mint, whole * 10n ** BigInt(mint.decimals), "out") })).err
          )
        }
        const pairs = [[usdc, gem], [wrappedSol, gem], [wrappedSol, ore], [gem, usdc], [ore, usdc], [
          usdc,
          ore
        ]] as const
        for (const [index, [from, to]] of pairs.entries()) {
          for (const shared of [true, false]) {
            for (const exact of ["in", "out"] as const) {
              const hops = routeOf(from, to, BigInt(randomInt(1_000, 50_000_000)), exact)
              const [paid, bought] = [hops[0]?.amountIn ?? 0n, hops.at(-1)?.amountOut ?? 0n]
              const before = [await tokens(from), await tokens(to)] as const
              const { err } = await send({ exact, hops, shared })
              assert.isNull(err, `${index} ${exact}`)
              assert.strictEqual((await tokens(to)) - before[1], bought)
              if (from !== wrappedSol) assert.strictEqual(before[0] - (await tokens(from)), paid)
            }
          }
        }
        // The direct path is shallow.
        assert.deepStrictEqual(
          [4, 1].map((most) => routeOf(wrappedSol, gem, 10n ** 10n, "in", most).map(({ pool }) => pool.label)),
          [["Deep", "Gems"], ["Shallow"]]
        )
      })
    })))

  it.live("respect the limit, the owner's signature, and their own vaults", () =>
    Effect.scoped(Effect.gen(function*() {
      const { other, routeOf, send } = yield* setUp
      yield* Effect.promise(async () => {
        const amount = 1_000_000_000n
        const hops = routeOf(usdc, gem, amount, "in")
        const quoted = hops.map((hop) => ({ ...hop, amountOut: hop.amountOut + 1n }))
        const failed = async (terms: Partial<RouteTerms>, change?: (wire: Wire) => Wire) =>
          JSON.stringify(
            (await send({ exact: "in", hops, ...terms }, change)).err,
            (_, value: unknown) => typeof value === "bigint" ? `${value}` : value
          )
        assert.include(await failed({ hops: quoted }), "6001")
        const out = routeOf(usdc, gem, amount, "out")
        assert.include(
          await failed({ exact: "out", hops: out.map((hop) => ({ ...hop, amountIn: hop.amountIn - 1n })), most: 0n }),
          "6001"
        )
        const accounts = (at: number, pubkey: string) => (wire: Wire): Wire => ({
          ...wire,
          accounts: wire.accounts.map((each, index) => index === at ? { ...each, pubkey: address(pubkey) } : each)
        })
        const foreign = await tokenAccount(other.address, usdc.address, usdc.program)
        assert.include(await failed({}, accounts(3, foreign)), "Custom")
        assert.include(await failed({}, accounts(5, foreign)), "6102")
        assert.include(await failed({}, accounts(4, namedAddress("no pool"))), "3007")
        assert.include(await failed({}, accounts(2, other.address)), "2006")
        const twice = routeOf(gem, usdc, amount, "in")
        assert.include(await failed({ hops: [...hops, ...twice] }), "6103")
      })
    })))

  it.live("have a lookup table that kit reads as wallets do, parsed by the node", () =>
    Effect.scoped(Effect.gen(function*() {
      const { solana } = yield* startFixture()
      const rpc = createSolanaRpc(solana.url)
      const options = { commitment: "confirmed", encoding: "jsonParsed" } as const
      assert.deepStrictEqual(
        yield* Effect.promise(() => fetchAddressesForLookupTables([lookupTable], rpc, { commitment: "confirmed" })),
        { [lookupTable]: [...tableAddresses] }
      )
      const read = (key: Address) => Effect.promise(() => rpc.getAccountInfo(key, options).send())
      assert.deepInclude((yield* read(lookupTable)).value?.data, { program: "address-lookup-table" })
      // What a node does not know either.
      const [{ address: pool, sides: [{ vault }] }] = [pools[0] ?? assert.fail("no pool")]
      const data: unknown = (yield* read(pool)).value?.data
      assert.strictEqual(Array.isArray(data) ? data[1] : undefined, "base64")
      // What it would parse, and this chain does not.
      assert.strictEqual((yield* Effect.exit(read(vault)))._tag, "Failure")
    })))
})
