/** Texts that call for no skill: small talk, everyday life, thanks and complaints, and noise. */

const SMALL_TALK = `
hi
hello there
good morning, how are you today?
thanks, that was great
thank you so much, you saved my afternoon
ok
yes please
no, leave it as it is
sounds good to me
never mind
what is your name?
who made you?
are you a real person?
do you ever get tired?
tell me something nice
I am bored
I feel a bit lonely tonight
that made me laugh
lol
haha good one
see you tomorrow
good night
have a lovely weekend
happy birthday!
merry christmas to you and yours
sorry, I was away for lunch
wait a moment
let me think about it
I changed my mind
can you say that again?
you are wrong about that
I do not agree with you
I am not sure what I want
what do you think about it?
is it going to rain?
it is so hot in here
my coffee went cold again
I slept badly last night
the neighbours were loud again
I cannot find my keys
my phone is almost empty
the train was late, as always
I have a headache
guess what happened to me today
you will not believe what my brother said
how old are you?
where do you live?
do you like music?
what is your favourite colour?
which season do you like best?
cats or dogs?
tea or coffee?
pizza or pasta tonight?
I love this song
that film was far too long
my team lost again
we won three to one!
did you watch the match?
I am so proud of my daughter
my son started school today
grandma turned ninety on Sunday
we are getting married in June
they moved to another town
I miss the sea
the holidays were too short
Monday again
finally Friday
is it lunch time yet?
I forgot what I wanted to say
forget it
why not
maybe later
who knows
really?
oh no
wow
great
hm
okay then, bye
good luck with that
I appreciate it
no worries at all
my pleasure
same here
that is none of your business
stop it
be quiet for a minute
say hello to my colleague
can we just talk for a bit?
I had a terrible day
I am happier than I have been in years
everything is fine
nothing works today
whatever you say
as you wish
I told you so
what a day
long time no see
how was your weekend?
what did you have for breakfast?
`;

const EVERYDAY = `
The old cat slept on the warm stones until the shadow of the church reached her.
My grandfather kept bees behind the barn and never wore gloves.
We walked along the river until our shoes were wet through.
Aunt Rosa brings far too much cake to every funeral.
The lighthouse blinked twice and then the fog swallowed it.
He whistled while he peeled the potatoes, badly out of tune.
Nobody in the village remembers why the bell rings at four.
The children built a dam of pebbles and called it a castle.
Her umbrella turned inside out on the bridge.
There is a goose on the roof and it refuses to come down.
The soup needed salt, the bread was burnt, and we were happy.
Two swans crossed the frozen pond as if it belonged to them.
My neighbour's dog barks at the moon and at postmen.
We lost the kite over the dunes last summer.
The barber told the same joke to everyone who sat down.
It snowed on the apple blossom and everyone was sad for a week.
She knitted a scarf so long that three people could wear it.
The ferry leaves at dawn if the captain feels like it.
An owl lives in the tower and judges us all.
He found a coin from 1911 under the floorboards.
The cherries were sour but we ate them anyway.
Grandmother's piano has not been tuned since the war.
A hedgehog crossed the garden, stopped, and thought better of it.
The choir sang two hymns and forgot the third.
We danced in the kitchen until the neighbours knocked.
My uncle claims he once met a ghost in Lisbon.
The sheep stood in the rain and looked offended.
Someone painted the bench green and told nobody.
I would like to sit under a tree and do nothing at all.
The mountain hut was closed, so we ate cold beans on the steps.
Rain drummed on the tin roof the whole night.
The baker's daughter married the fisherman's son in May.
Our canoe drifted while we argued about the moon.
The museum smelled of wax and old coats.
A stranger gave me his seat and half of his sandwich.
The tulips came up crooked this year.
He has worn the same hat since I was born.
The storm took the fence, two chairs and a hen.
My sister hums when she is nervous.
The wedding was lovely although the tent leaked.
Nothing tastes like tomatoes that are still warm from the sun.
We missed the last tram and walked home singing.
The boy asked whether fish ever sneeze.
The duke lost his left glove and his temper.
There were three foxes in the yard this morning.
The pond froze overnight and the ducks were confused.
Her laugh could be heard across the whole square.
The clock stopped when grandfather died, or so they say.
We ate plums on the pier and spat the stones at the gulls.
The road bends twice before the chapel and then it is gone.
My knees hurt when the weather turns.
The bride threw the flowers straight into the fountain.
An ant carried a crumb twice its size over my foot.
The whole family has the same crooked smile.
He swims in the lake until November.
The curtain fell, and nobody clapped for a while.
The postcard took eleven years to arrive.
We named the kitten Thunder because she is afraid of it.
The orchestra was out of tune but full of joy.
Somewhere a door slammed and the candle went out.
The fisherman said the sea owed him a boat.
My cousin eats strawberries with pepper.
The snowman lasted until Tuesday.
Her garden is mostly nettles and gnomes.
It was so quiet that we heard the moth.
The bus driver waved at every single cow.
The bishop slipped on the steps and laughed.
I found sand in my shoes weeks after the beach.
The moon hung over the harbour like a slice of melon.
The twins swapped places and nobody noticed for a month.
Old men play chess in the park and cheat.
The jam did not set, so we called it syrup.
A swallow nested above the front door again.
He proposed on a ferris wheel and dropped the ring.
The stew simmered while the wind tore at the shutters.
My mother can whistle with two fingers.
The parrot learned to imitate the doorbell.
The picnic ended when the wasps arrived.
Nobody knows who feeds the goat.
The sledge hit the only tree on the hill.
The actor forgot his line and bowed instead.
We watched the eclipse through a colander.
The bride's father danced with the mailman.
The pears were stolen, probably by the vicar.
An old bicycle leans against the chapel wall all winter.
The pigeons own this square; we only visit.
She waters the plastic flowers to be polite.
The tide took my left sandal.
The giraffe at the zoo has a very long patience.
Fog, more fog, and then a cow.
`;

const REMARKS = `
that answer was too long
please be shorter next time
you already said that
I like the second one better
no, the other one
the first one is fine
go on
continue
carry on, I am listening
do it again
one more time please
undo that
it still does not work, I give up
this is exactly what I wanted
perfect, nothing more for now
I will come back to this later
let us stop here for today
give me a second, someone is at the door
my boss just called, hold on
we can talk about it after lunch
that is not what I meant
I mean the thing from before
you know what I mean
whatever is easiest
up to you
surprise me
I trust you
do you remember what I told you yesterday?
why are you so slow today?
are you there?
hello?
ping
test
testing, one two three
asdf
???
...
!!!
:-)
yes yes yes
no no no
hmm, interesting
I see
got it
makes sense
fair enough
if you say so
this is fun
this is boring
can you keep a secret?
what would you do if you were me?
do you dream?
what is the meaning of life?
tell me a joke
sing me a song
what is love?
am I a good person?
is there life on other planets?
why is the sky blue?
how many stars are there?
what happens after we die?
who was the tallest man who ever lived?
what is the capital of Mongolia?
how deep is the ocean?
when did the dinosaurs die out?
how far away is the moon?
who won the world cup in 1954?
what is heavier, gold or lead?
why do cats purr?
do plants feel pain?
how long do turtles live?
why do we yawn?
what do whales eat?
`;

/** Words that are none, always the same ones. */
function noise(count: number): readonly string[] {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  let seed = 20_260;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  const word = (): string => Array.from({ length: 3 + next(8) }, () => letters[next(26)]).join('');
  return Array.from({ length: count }, () => Array.from({ length: 1 + next(12) }, word).join(' '));
}

const NOISE_TEXTS = 60;
const PARAGRAPH = 6;

/** Long texts are harder: among many words some fit something. */
function paragraphs(block: string): readonly string[] {
  const lines = linesOf(block);
  return lines.flatMap((_, at) => (at % 3 === 0 ? [lines.slice(at, at + PARAGRAPH).join(' ')] : []));
}

function linesOf(block: string): readonly string[] {
  return block.split('\n').filter((line) => line !== '');
}

export const NEGATIVES: readonly string[] = [
  ...[SMALL_TALK, EVERYDAY, REMARKS].flatMap(linesOf),
  ...paragraphs(EVERYDAY),
  ...noise(NOISE_TEXTS),
];
