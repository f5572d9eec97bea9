/** A registry that keeps some of its skills to itself. Pure. */
import type { SkillsService } from './service.ts';

/** What decides on whether a skill is offered. */
export type IsOffered = (skill: { readonly name: string }) => boolean;

/** The same registry for whoever may not see everything: prompts, published skills and their files. */
export function offerOnly(skills: SkillsService, isOffered: IsOffered): SkillsService {
  return {
    ...skills,
    get: (name) => (isOffered({ name }) ? skills.get(name) : null),
    command: (name) => (isOffered({ name }) ? skills.command(name) : null),
    published: (name) => (isOffered({ name }) ? skills.published(name) : null),
    readPublished: (name, file) => (isOffered({ name }) ? skills.readPublished(name, file) : null),
    commandPage(options) {
      const page = skills.commandPage(options);
      return { ...page, commands: page.commands.filter(isOffered) };
    },
    publishedPage(options) {
      const page = skills.publishedPage(options);
      return { ...page, skills: page.skills.filter(isOffered) };
    },
  };
}
