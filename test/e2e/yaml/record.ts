/**
 * Records what kubectl's reader answers, for the tests that run without Go: `npx tsx test/e2e/yaml/record.ts`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildJudge, judge } from './judge';
import { EDGES, generatedTexts } from './texts';

const texts = [...EDGES, ...generatedTexts(2000, 300).filter((text) => text.length < 120)].slice(0, 700);
const answers = judge(buildJudge(), texts);
const lines = texts.map((text, index) => `  ${JSON.stringify([text, answers[index]])}`);
writeFileSync(join(__dirname, '../../manifests/kubectl-answers.json'), `[\n${lines.join(',\n')}\n]\n`);
console.log(`${texts.length} answers recorded`);
