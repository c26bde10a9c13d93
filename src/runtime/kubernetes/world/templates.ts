/**
 * Pod templates, each kept once: pods with equal ones are of one kind for the placement core.
 */
import { type PodTemplate } from '../../../placement';
import { labelKeysIn } from './selector-keys';

export class Templates {
  private readonly byText = new Map<string, { readonly template: PodTemplate; used: number }>();
  private readonly texts = new WeakMap<PodTemplate, string>();
  /** Keys of pod labels that some selector between pods asks for; it only grows. */
  private readonly labelKeys = new Set<string>();
  /** Keys for which a selector has asked and none had before: then pods with such a label have to be read again. */
  readonly newLabelKeys = new Set<string>();

  /** The kept template that is equal to this one. */
  intern(whole: PodTemplate): PodTemplate {
    const template = this.withoutIdleLabels(whole);
    const text = JSON.stringify(template);
    const known = this.byText.get(text);
    if (known !== undefined) {
      known.used++;
      return known.template;
    }
    this.byText.set(text, { template, used: 1 });
    this.texts.set(template, text);
    return template;
  }

  /** A pod that used the template is deleted. */
  release(template: PodTemplate): void {
    const text = this.texts.get(template) ?? '';
    const known = this.byText.get(text);
    if (known !== undefined && --known.used === 0) {
      this.byText.delete(text);
    }
  }

  /** Many pods carry a label that no other has, such as their index; with it each would be of a kind of its own. */
  private withoutIdleLabels(template: PodTemplate): PodTemplate {
    for (const key of labelKeysIn(template)) {
      if (!this.labelKeys.has(key)) {
        this.labelKeys.add(key);
        this.newLabelKeys.add(key);
      }
    }
    const { labels, ...rest } = template;
    const asked = Object.entries(labels ?? {}).filter(([key]) => this.labelKeys.has(key));
    return asked.length === 0 ? rest : { ...rest, labels: Object.fromEntries(asked) };
  }
}
