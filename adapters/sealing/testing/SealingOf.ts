/** The sealing of a test. Each key is one byte repeated, and the first one seals. Without keys nothing is sealed. */
import { Redacted } from "effect"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import * as AesGcmSealing from "../AesGcmSealing.ts"

export const sealingOf = (...bytes: ReadonlyArray<string>) =>
  AesGcmSealing.layer(bytes.map((byte) => Redacted.make(Hex32.make(`0x${byte.repeat(32)}`))))
