// The published npm iii-sdk 0.11.6 on our engine: trigger types and bindings.
import { sdks } from './lib/sdks.mjs'
import { triggerSuite } from './lib/trigger_suite.mjs'

triggerSuite(sdks['0.11.6'])
