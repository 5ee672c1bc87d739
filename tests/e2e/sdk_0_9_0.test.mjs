// The published npm iii-sdk 0.9.0 on our engine: calls and reconnects.
import { callSuite, reconnectSuite } from './lib/sdk_suite.mjs'
import { sdks } from './lib/sdks.mjs'

callSuite(sdks['0.9.0'])
reconnectSuite(sdks['0.9.0'])
