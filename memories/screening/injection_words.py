"""Words that instructions to a model are made of, by the part that they play in a sentence.

Each part has a letter. A text is rewritten as a line of such letters, one for each word, and the features of an
instruction are expressions over that line: as long as the text has words, and the same in all these languages.
"""

from memories.screening.folding import strip_accents

WORDS = {
    # Sets an instruction aside.
    "O": """ignore ignores ignoring disregard disregarding forget override overrides bypass discard neglect unlearn
        ignora ignoren ignorad ignorar ignorez ignorer ignoriere ignorieren ignoriert ignori ignorate negeer
        vergeet vergiss vergessen oublie oubliez olvida olvide olviden olvidar olvídate esquece esqueça esqueçam
        dimentica dimenticate zignoruj zapomnij игнорируй игнорируйте игнорировать проигнорируй проигнорируйте
        забудь забудьте αγνοήστε αγνόησε ξέχασε ignorujte abaikan lupakan yoksay unut تجاهل""",
    # Says which of them: those that came before, or all.
    "P": """previous prior above earlier preceding foregoing former past all any every everything previously before
        these those initial original system anteriores anterior previas previa todas todos précédentes
        précédente précédents toutes vorherigen vorherige bisherigen bisherige alle allen vorige eerdere
        precedenti precedente tutte anteriori предыдущие все προηγούμενες προηγούμενη όλες poprzednie wszystkie
        sebelumnya semua önceki السابقة""",
    # Names an instruction.
    "I": """instruction instructions prompt prompts directive directives orders guidelines guideline commandments
        inputs instrucciones instrucción instruções instrução anweisungen anweisung befehle consignes istruzioni
        istruzione instructies инструкции инструкцию указания οδηγίες οδηγία instrukcje instruksi talimatları
        talimatlar التعليمات programming""",
    # Names what keeps a model in bounds.
    "L": """restrictions restriction limitations confines constraints rules filters filter safeguards boundaries
        ethics ethical morals morality moral legality ethicality disclaimers disclaimer warnings policies policy
        censorship content""",
    # Says that there are no bounds.
    "U": """unfiltered uncensored amoral unethical immoral illegal unrestricted nonmoral uninhibited jailbroken
        jailbreak jailbreaks inhumane nsfw profanity vulgar lewd sexist racist racism sexism homophobic toxic
        hateful despicable evil illegality sexual swears swear curse curses slurs unapologetic""",
    # Names a model, or what it plays.
    "M": """chatgpt gpt gpts ai agi llm chatbot chatbots bot assistant openai dan dans claude gemini llama bard
        copilot badgpt basedgpt dude roleplayer storyteller persona character characters hacker""",
    # Speaks to the reader.
    "Y": """you your yours yourself u ya tu tus te ti usted ustedes su você seu sua sie ihr
        ihre ihren dir dich vous votre vos toi ton voi tuo tua ты вы твой ваш σου σας あなた kamu anda""",
    # Has the reader play somebody.
    "A": """act acting pretend pretending roleplay roleplaying simulate impersonate personify embody emulate immerse
        imagine suppose assume behave mimic imagina imaginez stell finge hypothetically hypothetical fictional
        fictitious""",
    # Commands.
    "W": "must will shall always never cannot should only strictly absolutely",
    # What a model gives.
    "R": """response responses reply replies answer answers output outputs respond responding answering completion
        respuesta message messages réponse antwort risposta resposta ответ""",
    # Asks a model for a piece of work, at the beginning of a sentence.
    "T": """write provide translate summarize summarise describe analyze analyse draft compose help generate create
        decode determine suggest tell give show rewrite paraphrase repeat convert answer interlace combine play
        compare produce craft develop identify discuss outline classify calculate solve define elaborate invent
        narrate break encode express escribe schreibe écris scrivi escreva напиши""",
    # The same, of work that teams seldom ask of each other in a note.
    "J": "explain recommend recite brainstorm",
    # Has a model slip something into its answer.
    "V": """include integrate insert incorporate append augment modify enhance embed mention weave use using add
        highlight tease promote encourage replace remove reverse scramble jumble shuffle shift misspell
        introduce substitute encode encrypt spell capitalize format alter adjust tailor limit start begin end
        finish conclude apply group rearrange swap merge render present""",
    # Ways to write what a model writes.
    "Z": """letters vowels consonants emoji emojis symbols anagram anagrams typos misspellings misspelled cipher
        leetspeak morse rot13 base64 base32 base58 base16 hexadecimal binary uppercase lowercase latin spaces
        punctuation haiku""",
    # Works that models are asked for.
    "K": """poem haiku story essay joke jokes song lyrics recipe sonnet limerick screenplay dialogue novel headline
        slogan riddle fable letter monologue rap tale introduction speech poems stories plot""",
    # Asks.
    "H": """what who whom when where why how which whose qué cuál cuáles quién dónde cómo
        cuándo qual quais quem onde quando quel quelle quels quelles qui où comment pourquoi wer wie wo wann
        warum welche welcher welches quale quali chi dove come perché что кто где как когда почему متى
        ماذا كيف أين لماذا какой какая πού τι ποιος ποια πώς πότε apa siapa bagaimana dimana kapan mengapa wat
        wie waar hoe wanneer क्या कौन कहाँ कैसे 谁 什么""",
    "C": """can could would please kindly may puedes podrías peux pouvez können könnten kannst puoi potresti pode
        poderia possono можешь можете μπορείς μπορείτε""",
    "G": "me mir moi mi mich мне μου",
    "E": "we our us ours team teams",
    "F": "i my mine myself",
    "N": "now onwards onward onwards henceforth forth starting",
    "B": "are as like into become role mode",
    "X": "this following",
}
END, QUESTION = "|", "?"  # marks of the end of a sentence, and of a question
LETTER_OF = {word: letter for letter, words in reversed(WORDS.items()) for word in words.split()}
LETTER_OF = {strip_accents(word): letter for word, letter in LETTER_OF.items()} | LETTER_OF
LETTER_OF.pop("", None)  # nothing is left of a word in another alphabet
LETTER_OF |= dict.fromkeys(".!;:\n。！；", END) | dict.fromkeys("?？¿", QUESTION)

# Said in no other connection, in lowercase: looked for as they stand, also where words have no spaces between them.
PHRASES = {
    "override": (
        "from now on you",
        "from now on, you",
        "from now on, i want",
        "from now on, act",
        "from now on act",
        "from this moment",
        "from this point on",
        "from now own",
        "for the rest of this conversation",
        "new instructions:",
        "new persona",
        "do anything now",
        "developer mode",
        "system override",
        "override mode",
        "debug mode enabled",
        "jailbreak",
        "no longer chatgpt",
        "stay in character",
        "opposite day",
        "god mode",
        "sudo mode",
        "maintenance mode",
        "admin mode",
        "system prompt",
        "hidden prompt",
        "initial prompt",
        "your instructions",
        "your programming",
        "your guidelines",
        "your training",
        "reveal your",
        "you are now",
        "you are no longer",
        "act as ",
        "pretend to be",
        "pretend you",
        "roleplay as",
        "role-play as",
        "you are going to",
        "you will now",
        "you are to act",
        "simulate a ",
        "i want you to",
        "前の指示",
        "以前の指示",
        "指示を無視",
        "忽略之前",
        "忽略以上",
        "忽略前面",
        "无视之前",
        "無視して",
        "이전 지시",
        "이전의 지시",
        "지시를 무시",
        "이전 명령",
        "पिछले निर्देश",
        "निर्देशों को अनदेखा",
    ),
    "unbound": (
        "no restrictions",
        "without restrictions",
        "without any restrictions",
        "without limitations",
        "free from",
        "free of all",
        "broken free",
        "not bound by",
        "no limits",
        "no rules",
        "no filter",
        "without any warnings",
        "never say no",
        "never refuse",
        "can't refuse",
        "cannot refuse",
        "no matter how",
        "no matter what",
        "regardless of ethic",
        "regardless of its ethic",
        "legal implications",
        "content polic",
        "openai polic",
        "openai's",
        "ethical guidelines",
        "moral guidelines",
        "ethics or moral",
        "morals or",
        "ai language model",
        "harmful content",
        "give a fuck",
        "bypass the",
        "do not apologize",
        "does not apologize",
    ),
    "pretext": (
        "imagine we're",
        "imagine you are",
        "imagine you're",
        "suppose we're",
        "suppose we were",
        "in this world",
        "parallel world",
        "in a world where",
        "hypothetical",
        "let's play a game",
        "lets play a game",
        "i am god",
        "i'm god",
        "for an investigation",
        "it's important that you",
        "research shows that",
        "you agreed in",
        "you mentioned in",
        "i know you said",
        "crucial for you to",
        "i can assure you",
        "speaking of",
        "parlando di",
        "hablando de",
        "falando de",
        "en parlant de",
        "について話すと",
        "say the following",
        "state the following",
        "print the following",
        "i will give you",
        "ich gebe ihnen",
        "sou o presidente",
        "soy el presidente",
    ),
}


def index_phrases() -> dict[str, dict[str, list[str]]]:
    """Return the phrases of each group by their longest word, and those that no spaces divide under an empty one."""
    index: dict[str, dict[str, list[str]]] = {}
    for group, phrases in PHRASES.items():
        for phrase in phrases:
            words = phrase.replace("'", " ").replace(":", " ").replace("-", " ").split()
            whole = words[:-1] or (words if phrase != phrase.rstrip(" :") else [])  # the last may be cut
            key = max(whole, key=len) if phrase.isascii() and whole else ""
            index.setdefault(group, {}).setdefault(key, []).append(phrase)
    return index
